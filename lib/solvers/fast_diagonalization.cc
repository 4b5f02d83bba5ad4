#include "solvers/fast_diagonalization.h"

#include "algebra/multi_vector.h"
#include "base/exceptions.h"
#include "solvers/fast_diagonalization_functors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace adamant
{
class FastDiagonalization::Transforms
{
public:
  virtual ~Transforms()                                                 = default;
  virtual void        solve(const Vector<double> &b, Vector<double> &x) = 0;
  virtual std::size_t bytes() const                                     = 0;
  double              flop = 0, traffic = 0;
};

namespace
{
// What right-hand sides are scaled to: coefficients stay below it, where Float16 ends at 65504.
constexpr double length = 8192.;

template <typename T>
class TransformsIn : public FastDiagonalization::Transforms
{
public:
  TransformsIn(const Device &device, const std::vector<Eigenpairs> &directions, Arithmetic arithmetic, int n_columns);
  void        solve(const Vector<double> &b, Vector<double> &x) override;
  std::size_t bytes() const override;

private:
  template <typename R>
  void transform(int d, bool back, const T *from, R *to) const;
  void divide(T *x) const;
  void make_factors(const std::vector<Eigenpairs> &directions);
  // The distances of lines of the first direction.
  int node_row() const { return columns == 1 ? padded<T>(nodes[0]) : nodes[0]; }
  int n_coefficients() const { return row[0] * row[1] * row[2]; } // padded, as Tensor Cores like sizes

  using Number                 = std::conditional_t<sizeof(T) == sizeof(double), double, float>;
  static constexpr bool direct = sizeof(T) == sizeof(double); // products read b and write x themselves

  Device         device;
  DenseProducts  products;
  int            dim, n_columns, columns;                        // at a node: wanted, stored
  int            nodes[3] = {1, 1, 1}, n[3] = {1, 1, 1}, row[3]; // row[d]: of V in direction d
  double         zero = 0, scale = 1;                            // eigenvalues up to `zero` are the constants'
  Buffer<T>      V[3], work[2];
  Buffer<float>  result;
  Vector<Number> factors; // of the coefficients
  Vector<double> scales, scales_back;
  ColumnNorms    norms;
};

template <typename T>
TransformsIn<T>::TransformsIn(const Device &device, const std::vector<Eigenpairs> &directions, Arithmetic arithmetic,
                              int n_columns)
  : device(device)
  , products(device, arithmetic)
  , dim(static_cast<int>(directions.size()))
  , n_columns(n_columns)
  , columns(n_columns == 1 || direct ? n_columns :
                                       (n_columns + columns_at_once - 1) / columns_at_once * columns_at_once)
{
  std::size_t size = columns;
  for (int d = 0; d < 3; ++d)
    {
      const Eigenpairs  none{1, 1, Array<double>(1, 0.), Array<double>(1, 1.), Array<double>(1, 1.)};
      const Eigenpairs &pairs = d < dim ? directions[d] : none;
      nodes[d]                = pairs.n_nodes;
      n[d]                    = pairs.n;
      row[d]                  = d < dim ? padded<T>(n[d]) : 1;
      Array<double> V_padded(std::size_t(padded<T>(nodes[d])) * row[d], 0.);
      for (int i = 0; i < nodes[d]; ++i)
        std::copy_n(&pairs.vectors[std::size_t(i) * n[d]], n[d], &V_padded[std::size_t(i) * row[d]]);
      V[d] = Buffer<T>(device, V_padded);
      if (d < dim)
        zero += 1e-12 * *std::max_element(pairs.value.begin(), pairs.value.end());
      size *= d < dim ? std::max(padded<T>(nodes[d]), row[d]) : 1;
    }
  for (int d = 0; d < dim; ++d)
    flop +=
      4. * nodes[d] * n[d] * (d > 0 ? n[0] : 1) * (d > 1 ? n[1] : 1) * (d < 1 ? nodes[1] : 1) * (d < 2 ? nodes[2] : 1);
  // There and back, each of them reads a matrix, values and coefficients.
  for (int d = 0; d < dim; ++d)
    traffic += 2. * sizeof(T) *
               (double(nodes[d]) * n[d] + double(n_columns) * (nodes[d] + n[d]) * (d > 0 ? n[0] : 1) *
                                            (d > 1 ? n[1] : 1) * (d < 1 ? nodes[1] : 1) * (d < 2 ? nodes[2] : 1));
  if (size > std::size_t(std::numeric_limits<int>::max()))
    throw InputError("fast diagonalization: " + std::to_string(n_columns) + " right-hand sides of " +
                     std::to_string(nodes[0] * nodes[1] * nodes[2]) + " entries at once are more than 2^31 numbers");
  make_factors(directions);
  for (auto &vector : work)
    vector = Buffer<T>(device, size);
  if (!direct)
    {
      norms       = ColumnNorms(device, nodes[0] * nodes[1] * nodes[2], n_columns);
      scales      = Vector<double>(device, columns);
      scales_back = Vector<double>(device, columns);
      result      = Buffer<float>(device, size);
    }
}

// scale w_i w_j w_k / (λ_i + λ_j + λ_k), zero for zero eigenvalues; in low precision the largest of them is 1.
template <typename T>
void TransformsIn<T>::make_factors(const std::vector<Eigenpairs> &directions)
{
  Array<double> table(n_coefficients(), 0.);
  double        largest = 0.;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i)
        {
          const int number[] = {i, j, k};
          double    sum = 0., weight = 1.;
          for (int d = 0; d < dim; ++d)
            {
              sum += directions[d].value[number[d]];
              weight *= directions[d].weight[number[d]];
            }
          const double factor                               = sum > zero ? weight / sum : 0.;
          table[(std::size_t(k) * row[1] + j) * row[0] + i] = factor;
          largest                                           = std::max(largest, factor);
        }
  if (!direct)
    {
      scale = 1. / largest;
      for (double &factor : table)
        factor *= scale;
    }
  factors = Vector<Number>(device, table);
}

// to = Vᵀ from or, back, V from along direction d; forth it is the turn of the directions in their order, back the
// other way round: those before d have n coefficients then, those behind it values at nodes.
template <typename T>
template <typename R>
void TransformsIn<T>::transform(int d, bool back, const T *from, R *to) const
{
  const int outer = (d < 1 ? nodes[1] : 1) * (d < 2 ? nodes[2] : 1);
  if (d == 0 && columns == 1)
    {
      // Lines are the rows of one matrix.
      const int in = node_row();
      if (back)
        products.multiply({outer, in, row[0], false, true, row[0], row[0], in}, 1., from, V[0].data(), 0., to);
      else
        products.multiply({outer, row[0], in, false, false, in, row[0], row[0]}, 1., from, V[0].data(), 0., to);
      return;
    }
  const int         inner    = (d > 0 ? row[0] : 1) * (d > 1 ? row[1] : 1) * columns;
  const std::size_t at_nodes = std::size_t(nodes[d]) * inner, coefficients = std::size_t(row[d]) * inner;
  if (back)
    products.multiply({nodes[d], inner, row[d], false, false, row[d], inner, inner, outer, 0, coefficients, at_nodes},
                      1., V[d].data(), from, 0., to);
  else
    products.multiply({row[d], inner, nodes[d], true, false, row[d], inner, inner, outer, 0, at_nodes, coefficients},
                      1., V[d].data(), from, 0., to);
}

template <typename T>
void TransformsIn<T>::divide(T *x) const
{
  with_columns_at_once(columns, [&](auto width) {
    constexpr int W      = decltype(width)::value;
    const int     groups = columns / W;
    device.for_each(factors.size() * groups, DivideByEigenvalues<T, Number, W>{groups, factors.data(), x});
  });
}

template <typename T>
void TransformsIn<T>::solve(const Vector<double> &b, Vector<double> &x)
{
  const T *from = nullptr;
  if constexpr (direct)
    from = b.data();
  else
    {
      device.for_each(columns,
                      LowPrecisionScales{n_columns, length, 1. / scale, norms(b), scales.data(), scales_back.data()});
      with_columns_at_once(columns, [&](auto width) {
        constexpr int W = decltype(width)::value;
        device.for_each(
          node_row() * nodes[1] * nodes[2] * (columns / W),
          PackColumns<T, W>{nodes[0], node_row(), columns, n_columns, b.data(), scales.data(), work[1].data()});
      });
      from = work[1].data();
    }
  const auto other = [this](const T *vector) { return vector == work[0].data() ? work[1].data() : work[0].data(); };
  for (int d = 0; d < dim; ++d)
    {
      T *to = other(from);
      transform(d, false, from, to);
      from = to;
    }
  divide(const_cast<T *>(from)); // one of `work`
  for (int d = dim - 1; d > 0; --d)
    {
      T *to = other(from);
      transform(d, true, from, to);
      from = to;
    }
  if constexpr (direct)
    transform(0, true, from, x.data());
  else
    {
      transform(0, true, from, result.data());
      with_columns_at_once(columns, [&](auto width) {
        constexpr int W = decltype(width)::value;
        device.for_each(
          nodes[0] * nodes[1] * nodes[2] * (columns / W),
          UnpackColumns<W>{nodes[0], node_row(), columns, n_columns, result.data(), scales_back.data(), x.data()});
      });
    }
}

template <typename T>
std::size_t TransformsIn<T>::bytes() const
{
  std::size_t sum = work[0].bytes() + work[1].bytes() + result.bytes();
  for (const auto &matrix : V)
    sum += matrix.bytes();
  return sum;
}

std::unique_ptr<FastDiagonalization::Transforms>
make_transforms(const Device &device, const std::vector<Eigenpairs> &directions, Arithmetic arithmetic, int n_columns)
{
  switch (arithmetic)
    {
      case Arithmetic::float64:
        return std::make_unique<TransformsIn<double>>(device, directions, arithmetic, n_columns);
      case Arithmetic::bfloat16:
        return std::make_unique<TransformsIn<BFloat16>>(device, directions, arithmetic, n_columns);
      case Arithmetic::float16:
        return std::make_unique<TransformsIn<Float16>>(device, directions, arithmetic, n_columns);
      default: return std::make_unique<TransformsIn<float>>(device, directions, arithmetic, n_columns);
    }
}

// Equal cells of length h: v_i is sin iθ or cos iθ.
Eigenpairs of_equal_cells(int cells, double h, bool first, bool last)
{
  const double pi = std::acos(-1.);
  Eigenpairs   pairs;
  pairs.n_nodes = cells + 1;
  pairs.n       = cells + 1 - first - last;
  pairs.vectors.resize(std::size_t(pairs.n_nodes) * pairs.n);
  for (int k = 0; k < pairs.n; ++k)
    {
      // θ in quarter turns over the number of cells; multiples are reduced before they are rounded.
      const long   quarters = first && last ? 2 * k + 2 : first || last ? 2 * k + 1 : 2 * k;
      const auto   angle    = [&](long i) { return pi / (2 * cells) * double(i * quarters % (4 * cells)); };
      const auto   v        = [&](int i) { return first ? std::sin(angle(i)) : std::cos(angle(i)); };
      const double c        = std::cos(angle(1));
      double       square = 0, ends = 0;
      for (int i = 0; i <= cells; ++i)
        {
          const double value                          = (i == 0 && first) || (i == cells && last) ? 0. : v(i);
          pairs.vectors[std::size_t(i) * pairs.n + k] = value;
          square += value * value;
          ends += i == 0 || i == cells ? 0.5 * value * value : 0.;
        }
      for (int i = 0; i <= cells; ++i)
        pairs.vectors[std::size_t(i) * pairs.n + k] /= std::sqrt(square);
      // M v = h (2 + cos θ) / 3 v, half of that at natural ends, and K v = 2 (1 - cos θ) / h v likewise.
      pairs.value.push_back(6. / (h * h) * (1. - c) / (2. + c));
      pairs.weight.push_back(square / ((square - ends) * h * (2. + c) / 3.));
    }
  return pairs;
}

// lambda v = M⁻¹ K v by LAPACK's generalized symmetric eigenproblem.
extern "C" void dsygv_(const int *type, const char *job, const char *part, const int *n, double *K, const int *row_K,
                       double *M, const int *row_M, double *values, double *work, const int *length, int *info);

Eigenpairs of_any_cells(const std::vector<double> &x, bool first, bool last)
{
  const int     nodes = static_cast<int>(x.size()), n = nodes - first - last, type = 1, length = 64 * n + 3 * n;
  Array<double> K(std::size_t(n) * n, 0.), M(std::size_t(n) * n, 0.), work(length);
  for (int cell = 0; cell + 1 < nodes; ++cell)
    {
      const double h = x[cell + 1] - x[cell];
      for (const int i : {cell - first, cell + 1 - first})
        for (const int j : {cell - first, cell + 1 - first})
          if (i >= 0 && i < n && j >= 0 && j < n)
            {
              K[std::size_t(i) * n + j] += (i == j ? 1. : -1.) / h;
              M[std::size_t(i) * n + j] += h * (i == j ? 1. / 3. : 1. / 6.);
            }
    }
  Eigenpairs pairs;
  pairs.n_nodes = nodes;
  pairs.n       = n;
  pairs.value.resize(n);
  int info = 0;
  dsygv_(&type, "V", "U", &n, K.data(), &n, M.data(), &n, pairs.value.data(), work.data(), &length, &info);
  if (info != 0)
    throw RunError("fast diagonalization: LAPACK's dsygv failed with info = " + std::to_string(info) +
                   "; are the nodes of a direction distinct and ascending?");
  pairs.vectors = Array<double>(std::size_t(nodes) * n, 0.);
  for (int k = 0; k < n; ++k)
    {
      double square = 0; // vᵀM v = 1
      for (int i = 0; i < n; ++i)
        square += K[std::size_t(k) * n + i] * K[std::size_t(k) * n + i];
      for (int i = 0; i < n; ++i)
        pairs.vectors[std::size_t(i + first) * n + k] = K[std::size_t(k) * n + i] / std::sqrt(square);
      pairs.weight.push_back(square);
    }
  return pairs;
}
} // namespace

Eigenpairs one_dimensional_eigenpairs(const std::vector<double> &x, bool first, bool last, bool without_prescribed)
{
  const int    cells = static_cast<int>(x.size()) - 1;
  const double h     = (x.back() - x.front()) / cells;
  bool         equal = true;
  for (int i = 0; i < cells; ++i)
    equal = equal && std::abs(x[i + 1] - x[i] - h) < 1e-12 * std::abs(x.back() - x.front());
  Eigenpairs pairs = equal ? of_equal_cells(cells, h, first, last) : of_any_cells(x, first, last);
  if (without_prescribed)
    {
      pairs.vectors.erase(pairs.vectors.begin() + std::size_t(cells + !last) * pairs.n, pairs.vectors.end());
      pairs.vectors.erase(pairs.vectors.begin(), pairs.vectors.begin() + std::size_t(first) * pairs.n);
      pairs.n_nodes = cells + 1 - first - last;
    }
  return pairs;
}

FastDiagonalization::FastDiagonalization(const Device &device, const std::vector<Eigenpairs> &directions,
                                         Arithmetic arithmetic, int n_columns)
  : transforms(make_transforms(device, directions, arithmetic, n_columns))
{}
FastDiagonalization::~FastDiagonalization()                               = default;
FastDiagonalization::FastDiagonalization(FastDiagonalization &&) noexcept = default;

void FastDiagonalization::solve(const Vector<double> &b, Vector<double> &x) const
{
  transforms->solve(b, x);
}

double FastDiagonalization::flop() const
{
  return transforms->flop;
}

double FastDiagonalization::traffic() const
{
  return transforms->traffic;
}

std::size_t FastDiagonalization::bytes() const
{
  return transforms->bytes();
}
} // namespace adamant
