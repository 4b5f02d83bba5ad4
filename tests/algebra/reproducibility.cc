// Every product and reduction gives the same bits for any number of threads, and again when repeated.

#include "algebra/functors.h"
#include "algebra/loop.h"
#include "multigrid/smoothers/functors.h"
#include "tests/algebra/support.h"

#include <functional>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class Reproducibility : public DeviceOperations<In>
{
protected:
  using Number = typename In::Number;

  // `operation` returns all it computes; it is run with 1, 2, 3 and 5 threads, and twice.
  void expect_same_bits(const std::function<Values(const Device &)> &operation, const std::string &what) const
  {
    const auto   with_threads = [&](int n) { return this->place == Place::host ? Device::host(n) : this->device; };
    const Values reference    = operation(with_threads(1));
    ASSERT_FALSE(reference.empty()) << what;
    for (const int threads : {1, 2, 3, 5})
      {
        const Values result = operation(with_threads(threads));
        ASSERT_EQ(result.size(), reference.size()) << what;
        for (std::size_t i = 0; i < result.size(); ++i)
          ASSERT_EQ(result[i], reference[i]) << what << ": entry " << i << " differs with " << threads << " threads";
      }
  }

  static Vector<Number> upload(const Device &device, const Values &values) { return to_device<Number>(device, values); }
  static Values         append(Values values, const double *more, int count)
  {
    values.insert(values.end(), more, more + count);
    return values;
  }

  // A step of (block) Jacobi, with the vector that is kept from the last one.
  static Values step(const Device &device, const CSRMatrix<double> &A, const Values &D, int block_size, Number alpha,
                     Number beta, const Values &b, const Values &x)
  {
    const auto                 diagonal = upload(device, D), rhs = upload(device, b), from = upload(device, x);
    auto                       d = upload(device, b), y = Vector<Number>(device, n);
    const Matrix<Number>       on(device, A);
    const JacobiUpdate<Number> update{alpha,       beta,     diagonal.data(), rhs.data(),
                                      from.data(), d.data(), d.data(),        y.data()};
    if (block_size == 1)
      device.for_each_row(on, from, JacobiStep<Number>(update));
    else
      device.for_each_row(on, from, NodeJacobiStep<Number>(block_size, n / block_size, update));
    return values_of(y);
  }

  // Not a multiple of any block; divisible by 3 for node blocks.
  static constexpr int n = 30003;
};
TYPED_TEST_SUITE(Reproducibility, Precisions, PrecisionName);
} // namespace

TYPED_TEST(Reproducibility, Reductions)
{
  const int    n = TestFixture::n;
  const Values x = random_values(n, 1), y = random_values(n, 2);
  this->expect_same_bits([&](const Device &on) { return Values{on.dot(this->upload(on, x), this->upload(on, y))}; },
                         "dot");
  this->expect_same_bits(
    [&](const Device &on) {
      Scalars s(on, 2);
      on.norms(this->upload(on, x), this->upload(on, y), s);
      return this->append({}, s.fetch(), 2);
    },
    "norms");
  this->expect_same_bits(
    [&](const Device &on) {
      const int           k = 7;
      VectorTable<double> basis(on, n, k + 2), directions(on, n, k + 1);
      for (int i = 0; i <= k; ++i)
        {
          basis.add();
          directions.add();
          basis[i].upload(combine(0.01, random_values(n, 20 + i), 0, Values(n)).data());
        }
      basis.add();
      const Shared<int> last(on);
      on.interface().upload(last.data(), &k, sizeof(int));
      auto    w = to_device(on, x);
      Scalars h(on, 2 * (k + 2));
      on.arnoldi(
        {n, k + 1, last.data(), basis.data(), directions.data(), directions[k].data(), w.data(), nullptr, h.data()});
      Values column(k + 2);
      on.interface().download(column.data(), h.data(), column.size() * sizeof(double));
      return this->append(values_of(basis[k + 1]), column.data(), k + 2);
    },
    "a step of Arnoldi's method");
}

TYPED_TEST(Reproducibility, Products)
{
  using Number   = typename TestFixture::Number;
  const int    n = TestFixture::n;
  const Values x = random_values(n, 1), y = random_values(n, 2), d = random_values(3 * n, 3);
  for (const Rows rows : {Rows::equal, Rows::irregular})
    {
      const auto A = random_matrix(n, n, rows, 4), R = random_matrix(n / 3, n, rows, 5);
      this->expect_same_bits(
        [&](const Device &on) {
          auto v = this->upload(on, y);
          on.multiply(Number(0.3), Matrix<Number>(on, A), this->upload(on, x), Number(0.7), v);
          return values_of(v);
        },
        "multiply");
      this->expect_same_bits(
        [&](const Device &on) {
          const auto b = this->upload(on, y);
          auto       r = this->upload(on, y);
          Scalars    s(on, 2);
          on.residual(Matrix<Number>(on, A), this->upload(on, x), b, r);
          on.norms(r, b, s);
          return this->append(values_of(r), s.fetch(), 2);
        },
        "residual and norms");
      this->expect_same_bits(
        [&](const Device &on) {
          Vector<Number> r(on, n), c(on, n / 3);
          on.residual(Matrix<Number>(on, A), this->upload(on, x), this->upload(on, y), r);
          on.multiply(Number(1), Matrix<Number>(on, R), r, Number(0), c);
          return values_of(c);
        },
        "restriction of a residual");
      for (const int block_size : {1, 3})
        {
          const Values D(d.begin(), d.begin() + n * block_size);
          for (const double alpha : {0., 0.2})
            this->expect_same_bits(
              [&](const Device &on) { return this->step(on, A, D, block_size, Number(alpha), Number(0.8), y, x); },
              alpha == 0 ? "step of Jacobi" : "Chebyshev step");
        }
      this->expect_same_bits(
        [&](const Device &on) {
          auto step = this->upload(on, y), v = this->upload(on, x);
          on.for_each_row(Matrix<Number>(on, A), this->upload(on, y),
                          Update<Number>(Number(0.2), Number(0.8), step.data(), step.data(), v.data()));
          return values_of(v);
        },
        "update");
    }
  const Values        a = random_values(300 * 300, 6);
  const Array<double> dense(a.begin(), a.end());
  this->expect_same_bits(
    [&](const Device &on) {
      Vector<Number> v(on, 300);
      on.multiply(Number(1), Matrix<Number>::dense(on, dense, 300), this->upload(on, random_values(300, 7)), Number(0),
                  v);
      return values_of(v);
    },
    "dense product");
}
