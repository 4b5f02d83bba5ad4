// Every product and reduction gives the same bits for any number of threads, and again when repeated.

#include "support/backends.h"
#include "support/reference.h"

#include <functional>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class Backend>
class BackendReproducibility : public BackendTest<Backend>
{
protected:
  using Vector = typename Backend::Vector;

  // `operation` returns all it computes; it is run with 1, 2, 3 and 5 threads, and twice.
  static void expect_same_bits(const std::function<Values(const Backend &)> &operation, const std::string &what)
  {
    const Values reference = operation(make_backend<Backend>(1));
    ASSERT_FALSE(reference.empty()) << what;
    for (const int threads : {1, 2, 3, 5})
      {
        const Values result = operation(make_backend<Backend>(threads));
        ASSERT_EQ(result.size(), reference.size()) << what;
        for (std::size_t i = 0; i < result.size(); ++i)
          ASSERT_EQ(result[i], reference[i]) << what << ": entry " << i << " differs with " << threads << " threads";
      }
  }

  static std::vector<Vector> random_basis(const Backend &backend, int k)
  {
    std::vector<Vector> basis;
    for (int i = 0; i < k; ++i)
      basis.push_back(to_backend(backend, combine(0.01, random_values(n, 20 + i), 0, Values(n))));
    return basis;
  }

  static Values append(Values values, const double *more, int count)
  {
    values.insert(values.end(), more, more + count);
    return values;
  }

  // Not a multiple of any block; divisible by 3 for node blocks.
  static constexpr int n = 30003;
};
TYPED_TEST_SUITE(BackendReproducibility, Backends);
} // namespace

TYPED_TEST(BackendReproducibility, Reductions)
{
  using Backend  = TypeParam;
  const int    n = TestFixture::n, k = 8;
  const Values x = random_values(n, 1), y = random_values(n, 2);
  this->expect_same_bits([&](const Backend &b) { return Values{b.dot(to_backend(b, x), to_backend(b, y))}; }, "dot");
  this->expect_same_bits([&](const Backend &b) { return Values{b.norm(to_backend(b, x))}; }, "norm");
  this->expect_same_bits(
    [&](const Backend &b) {
      auto h = b.create_scalars(k);
      b.multi_dot(this->random_basis(b, k), k, to_backend(b, x), h);
      return this->append({}, b.fetch(h, k), k);
    },
    "multi_dot");
  this->expect_same_bits(
    [&](const Backend &b) {
      auto h = b.create_scalars(k + 1);
      auto w = to_backend(b, x);
      b.orthonormalize(this->random_basis(b, k), k, w, h);
      return this->append(to_host(b, w), b.fetch(h, k + 1), k + 1);
    },
    "orthonormalize");
}

TYPED_TEST(BackendReproducibility, Products)
{
  using Backend  = TypeParam;
  using Number   = typename Backend::value_type;
  const int    n = TestFixture::n;
  const Values x = random_values(n, 1), y = random_values(n, 2), d = random_values(3 * n, 3);
  for (const Rows rows : {Rows::equal, Rows::irregular})
    {
      const auto A = random_matrix(n, n, rows, 4), R = random_matrix(n / 3, n, rows, 5);
      this->expect_same_bits(
        [&](const Backend &b) {
          auto v = to_backend(b, y);
          b.spmv(Number(0.3), b.create_matrix(A), to_backend(b, x), Number(0.7), v);
          return to_host(b, v);
        },
        "spmv");
      this->expect_same_bits(
        [&](const Backend &b) {
          auto r = to_backend(b, y);
          auto s = b.create_scalars(2);
          b.residual_norms(b.create_matrix(A), to_backend(b, x), to_backend(b, y), r, s);
          return this->append(to_host(b, r), b.fetch(s, 2), 2);
        },
        "residual_norms");
      this->expect_same_bits(
        [&](const Backend &b) {
          auto r = b.create_vector(n), c = b.create_vector(n / 3);
          b.residual_restrict(b.create_matrix(A), to_backend(b, x), to_backend(b, y), b.create_matrix(R), r, c);
          return to_host(b, c);
        },
        "residual_restrict");
      for (const int block_size : {1, 3})
        {
          const Values D(d.begin(), d.begin() + n * block_size);
          this->expect_same_bits(
            [&](const Backend &b) {
              auto v = b.create_vector(n);
              b.jacobi_step(b.create_matrix(A), to_backend(b, D), block_size, Number(0.8), to_backend(b, y),
                            to_backend(b, x), v);
              return to_host(b, v);
            },
            "jacobi_step");
          this->expect_same_bits(
            [&](const Backend &b) {
              auto step = to_backend(b, y), v = b.create_vector(n);
              b.chebyshev_step(b.create_matrix(A), to_backend(b, D), block_size, Number(0.2), Number(0.8),
                               to_backend(b, y), to_backend(b, x), step, step, v);
              return to_host(b, v);
            },
            "chebyshev_step");
        }
      this->expect_same_bits(
        [&](const Backend &b) {
          auto step = to_backend(b, y), v = to_backend(b, x);
          b.spmv_update(Number(0.2), Number(0.8), b.create_matrix(A), to_backend(b, y), step, step, v);
          return to_host(b, v);
        },
        "spmv_update");
    }
  const Values        a = random_values(300 * 300, 6);
  const Array<double> dense(a.begin(), a.end());
  this->expect_same_bits(
    [&](const Backend &b) {
      auto v = b.create_vector(300);
      b.gemv(b.create_dense_matrix(dense, 300), to_backend(b, random_values(300, 7)), v);
      return to_host(b, v);
    },
    "gemv");
}
