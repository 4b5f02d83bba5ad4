// The matrix formats against each other: cuSPARSE and the host are the oracles of our own kernels on the GPU.

#include "algebra/compressed_rows.h"
#include "algebra/functors.h"
#include "multigrid/smoothers/functors.h"
#include "tests/algebra/matrix_zoo.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
// Σ_j |a_ij x_j| of each row.
Values magnitudes(const CSRMatrix<double> &A, const Values &x)
{
  Values sums(A.n_rows, 0.);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      sums[i] += std::abs(A.value[k] * x[A.column[k]]);
  return sums;
}

// Every entry to `tolerance` times its own scale.
void expect_near_relative(const Values &actual, const Values &expected, const Values &scale, double tolerance,
                          const std::string &what)
{
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i)
    ASSERT_LE(std::abs(actual[i] - expected[i]), tolerance * scale[i])
      << what << ", row " << i << ": " << actual[i] << ", expected " << expected[i];
}

template <typename Number>
Values times(const Device &device, const Specimen &s, const Values &x)
{
  Vector<Number> y(device, s.A.n_rows);
  device.multiply(Number(1), Matrix<Number>(device, s.A, s.node_size), to_device<Number>(device, x), Number(0), y);
  return values_of(y);
}

// Every row functor of the library on one matrix, by name.
template <typename Number>
class Functors
{
public:
  using Results = std::vector<std::pair<std::string, Values>>;

  Functors(const Device &device, const Specimen &specimen)
    : device(device)
    , n(specimen.A.n_rows)
    , n_cols(specimen.A.n_cols)
    , m(specimen.node_size)
    , A(device, specimen.A, m)
    , x(random(n_cols, 1))
    , b(random(n, 2))
    , D(random(n * m, 3))
  {}

  Results of_rows()
  {
    Results result;
    apply(result, "a A x + b y", [&](auto &y) { return Product<Number>(Number(0.75), Number(-2), y.data()); });
    apply(result, "y + a A x", [&](auto &y) { return Addition<Number>(Number(0.75), y.data()); });
    apply(result, "b - A x", [&](auto &y) { return Residual<Number>(b.data(), y.data()); });
    return result;
  }
  // Of square matrices.
  Results of_smoothers(const Specimen &specimen)
  {
    Results result;
    auto    d = random(n, 5);
    for (const double alpha : {0., 0.25})
      {
        const auto update = [&](Number *to, const Vector<Number> &from) {
          return JacobiUpdate<Number>{Number(alpha), Number(0.5), D.data(), b.data(),
                                      from.data(),   d.data(),    d.data(), to};
        };
        const auto step = [&](auto &y) { return JacobiStep<Number>(update(y.data(), x)); };
        apply(result, "a step of Jacobi", step);
        apply(result, "an update",
              [&](auto &y) { return Update<Number>(Number(alpha), Number(0.5), d.data(), d.data(), y.data()); });
        if (m > 1)
          apply(result, "a step of block Jacobi",
                [&](auto &y) { return NodeJacobiStep<Number>(m, n / m, update(y.data(), x)); });
        result.emplace_back("its direction", values_of(d));
        some_nodes(result, specimen, update);
        result.emplace_back("its direction", values_of(d));
      }
    auto y = random(n, 4);
    device.for_each_row(A, FirstJacobiStep<Number>{Number(0.5), D.data(), b.data()},
                        SecondJacobiStep<Number>(Number(0.5), D.data(), b.data(), y.data()));
    result.emplace_back("two steps of Jacobi from zero", values_of(y));
    device.for_each_row(A, FirstJacobiStep<Number>{Number(0.5), D.data(), b.data()},
                        Residual<Number>(b.data(), y.data()));
    result.emplace_back("the residual of one", values_of(y));
    device.for_each_row(A, x, FirstJacobiStepPlus<Number>(Number(0.5), D.data(), b.data(), y.data()));
    result.emplace_back("one and a product", values_of(y));
    return result;
  }

private:
  Vector<Number> random(int size, unsigned int seed) const
  {
    return to_device<Number>(device, random_values(size, seed));
  }

  template <typename Make>
  void apply(Results &result, const std::string &name, const Make &functor)
  {
    auto y = random(n, 4);
    device.for_each_row(A, x, functor(y));
    result.emplace_back(name, values_of(y));
  }

  // Every third node, changed in place in the vector that is multiplied; rows of these do not read each other.
  template <typename MakeUpdate>
  void some_nodes(Results &result, const Specimen &specimen, const MakeUpdate &update)
  {
    Array<int> nodes;
    for (int node = n / m - 1; node >= 0; node -= 3)
      nodes.push_back(node);
    const auto at   = [&](int i) { return nodes[i / m] * m + i % m; };
    const auto kept = [&](int row, int column) { return row / m == column / m || (n / m - 1 - column / m) % 3 != 0; };
    const auto some = matrix_of_rows(static_cast<int>(nodes.size()) * m, n, [&](int i) {
      RowEntries row;
      for (auto k = specimen.A.row_start[at(i)]; k < specimen.A.row_start[at(i) + 1]; ++k)
        if (kept(at(i), specimen.A.column[k]))
          row.emplace_back(specimen.A.column[k], specimen.A.value[k]);
      return row;
    });
    const Matrix<Number> rows(device, some, m);
    const List<int>      list(device, nodes);
    auto                 y = random(n, 6);
    if (m == 1)
      device.for_each_row(rows, y, JacobiStep<Number>(update(y.data(), y)), list);
    else
      device.for_each_row(rows, y, NodeJacobiStep<Number>(m, n / m, update(y.data(), y)), list);
    result.emplace_back("a step on some nodes in place", values_of(y));
  }

  Device         device;
  int            n, n_cols, m;
  Matrix<Number> A;
  Vector<Number> x, b, D;
};

template <class In>
class Formats : public DeviceOperations<In>
{
protected:
  using Number = typename In::Number;

  // What a host in double precision gives.
  template <typename Apply>
  void compare(const Specimen &s, const Apply &apply) const
  {
    const Device     one_thread = Device::host(1);
    Functors<Number> here(this->device, s);
    Functors<double> reference(one_thread, s);
    const auto       actual = apply(here), expected = apply(reference);
    const Values     sums    = magnitudes(s.A, Values(s.A.n_cols, 1.));
    const double     largest = s.node_size * (1 + (sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end())));
    for (std::size_t k = 0; k < expected.size(); ++k)
      expect_near(actual[k].second, expected[k].second, (sizeof(Number) == sizeof(double) ? 1e-13 : 1e-5) * largest,
                  s.name + ", " + expected[k].first);
  }
};
TYPED_TEST_SUITE(Formats, Precisions, PrecisionName);
} // namespace

// The sums of a row have another order, no other values.
TYPED_TEST(Formats, ProductsAgree)
{
  using Number = typename TestFixture::Number;
  for (const Specimen &s : matrix_zoo())
    {
      const Values x         = random_values(s.A.n_cols, 1);
      const double tolerance = sizeof(Number) == sizeof(double) ? 1e-14 : 1e-5;
      const Values scale = magnitudes(s.A, x), here = times<Number>(this->device, s, x);
      expect_near_relative(here, product(s.A, x), scale, tolerance, s.name + ", against the definition");
      if (this->place == Place::cuda && device_at(Place::cusparse).device)
        expect_near_relative(here, times<Number>(*device_at(Place::cusparse).device, s, x), scale, tolerance,
                             s.name + ", against cuSPARSE");
    }
}

TYPED_TEST(Formats, RowFunctorsAgree)
{
  for (const Specimen &s : matrix_zoo())
    this->compare(s, [](auto &functors) { return functors.of_rows(); });
}

TYPED_TEST(Formats, SmootherFunctorsAgree)
{
  for (const Specimen &s : matrix_zoo())
    if (s.A.n_rows == s.A.n_cols)
      this->compare(s, [&](auto &functors) { return functors.of_smoothers(s); });
}

// On a GPU as many nodes as it takes for several slices of a line at once (lines.cuh).
TYPED_TEST(Formats, LongLinesOfNodesAgree)
{
  for (const int size : {2, 3})
    {
      const Specimen s{"long lines of nodes of " + std::to_string(size),
                       nodes_on_a_grid(110, this->place == Place::cuda ? 1100 : 12, size), size};
      if (this->place == Place::cuda)
        {
          EXPECT_NE(this->matrix(s.A, size).format().find("several at once"), std::string::npos);
        }
      this->compare(s, [](auto &functors) { return functors.of_rows(); });
      this->compare(s, [&](auto &functors) { return functors.of_smoothers(s); });
    }
}

// Values on the device: new ones of the same structure keep the format, others are stored one by one, and recorded
// products read all of them.
TYPED_TEST(Formats, FollowValuesOnTheDevice)
{
  using Number           = typename TestFixture::Number;
  const double tolerance = sizeof(Number) == sizeof(double) ? 1e-13 : 1e-5;
  for (const Specimen &s : matrix_zoo())
    {
      SCOPED_TRACE(s.name);
      CSRMatrix<double> A = s.A;
      CompressedRows    rows(this->device, A);
      rows.values.upload(A.value.data());
      Matrix<Number>    matrix(this->device, A, rows, s.node_size);
      const std::size_t bytes = matrix.bytes();
      EXPECT_EQ(bytes, Matrix<Number>(this->device, A, s.node_size).bytes()) << "the format is that of fixed values";
      const Values   x_values = random_values(A.n_cols, 1);
      const auto     x        = this->upload(x_values);
      Vector<Number> y(this->device, A.n_rows);
      const Graph    product_again(this->device, [&] { this->device.multiply(Number(1), matrix, x, Number(0), y); });
      const auto     follow = [&](const std::string &what) {
        rows.values.upload(A.value.data());
        matrix.update(rows);
        product_again.replay();
        expect_near_relative(values_of(y), product(A, x_values), magnitudes(A, x_values), tolerance, what);
      };
      product_again.replay();
      expect_near_relative(values_of(y), product(A, x_values), magnitudes(A, x_values), tolerance, "first values");
      for (double &value : A.value)
        value = -1.5 * value + (value < 0.3 ? 0.25 : 0.);
      follow("values of the same structure");
      EXPECT_EQ(matrix.bytes(), bytes) << "the format stays";
      for (std::size_t k = 0; k < A.value.size(); ++k)
        A.value[k] = 1. + std::cos(1. * k);
      follow("values without structure");
      EXPECT_GE(matrix.bytes(), bytes);
      for (double &value : A.value)
        value *= 2.;
      follow("once more");
    }
}
