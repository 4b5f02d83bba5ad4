#include "solvers/fast_diagonalization.h"

#include "algebra/multi_vector.h"
#include "base/exceptions.h"
#include "solvers/fast_diagonalization_functors.h"
#include "solvers/tridiagonal_lines.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace adamant
{
class FastDiagonalization::Transforms
{
public:
  virtual ~Transforms()                                                                                  = default;
  virtual void        apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) = 0;
  virtual std::size_t bytes() const                                                                      = 0;
  double              flop = 0, traffic = 0;
};

namespace
{
using Options = FastDiagonalization::Options;

// What right-hand sides are scaled to: coefficients stay below it, where Float16 ends at 65504.
constexpr double length = 8192.;

template <typename T>
class TransformsIn : public FastDiagonalization::Transforms
{
public:
  TransformsIn(const Device &device, const std::vector<Eigenpairs> &directions, Arithmetic arithmetic, int n_columns,
               const Options &options);
  void        apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) override;
  std::size_t bytes() const override;

private:
  static constexpr bool in_double = sizeof(T) == sizeof(double);
  using Number                    = std::conditional_t<in_double, double, float>;
  // Of columns, in functors that change the layout.
  static constexpr int most_at_once = in_double ? 2 : columns_at_once;

  void                      setup_direction(int d, const Eigenpairs &pairs, int split_from);
  void                      setup_vectors(std::size_t chunk_bytes);
  void                      count(const std::vector<Eigenpairs> &directions);
  void                      make_factors(const std::vector<Eigenpairs> &directions);
  std::pair<double, double> pair_of(const std::vector<Eigenpairs> &directions, int n, std::size_t position) const;
  template <typename R>
  void transform(int d, bool back, int outer, int inner, const T *from, std::size_t from_pitch, R *to,
                 std::size_t to_pitch, bool add = false) const;
  void forth(const double *b, int first, int n);
  void divide();
  void back(int first, int n, bool add, double *x);
  template <template <typename, int, int> class Change, typename... Arguments>
  void change_layout(int first, int n, Arguments... arguments) const;

  int         row(int d) const { return folded[d].row(); }
  int         last() const { return dim - 1; } // the direction whose products follow the others'
  std::size_t slice() const { return std::size_t(row(0)) * (dim == 3 ? row(1) : 1); } // of it: numbers of a column
  std::size_t plane(int k) const { return slice() * columns * folded[last()].parts * k; }

  Device           device;
  DenseProducts    products;
  int              dim, n_columns, columns; // at a node: wanted, stored
  FoldedDirection  folded[3];
  Buffer<T>        V[3];                      // a square matrix for each part: nodes by coefficients
  Array<int>       pair_at[3];                // of each coefficient its eigenpair, or -1
  bool             direct = true;             // products read b and write x themselves
  double           zero = 0, scale = 1;       // eigenvalues up to `zero` are the constants'
  int              planes = 0, positions = 0; // at a time: nodes of a part in the last direction, numbers of a slice
  Buffer<T>        whole, divided, chunk, other_chunk; // divided: the same as `whole`, but in double
  Buffer<Number>   result;                             // of a chunk, where it is of another type
  TridiagonalLines lines;                              // in double
  Vector<float>    factors;                            // of the coefficients, else
  Vector<double>   scales, scales_back;
  ColumnNorms      norms;
};

template <typename T>
TransformsIn<T>::TransformsIn(const Device &device, const std::vector<Eigenpairs> &directions, Arithmetic arithmetic,
                              int n_columns, const Options &options)
  : device(device)
  , products(device, arithmetic)
  , dim(static_cast<int>(directions.size()))
  , n_columns(n_columns)
  , columns(n_columns == 1 || in_double ? n_columns :
                                          (n_columns + columns_at_once - 1) / columns_at_once * columns_at_once)
{
  // In double it costs a pass over the vectors, else only launches: worth it where products take long.
  const int split_from = options.split_from > 0 ? options.split_from : in_double ? 256 : 128;
  for (int d = 0; d < dim; ++d)
    setup_direction(d, directions[d], split_from);
  count(directions);
  if (double(slice()) * row(last()) * columns > std::numeric_limits<int>::max())
    throw InputError("fast diagonalization: " + std::to_string(n_columns) + " right-hand sides of " +
                     std::to_string(folded[0].nodes * folded[1].nodes * folded[2].nodes) +
                     " entries at once are more than 2^31 numbers");
  make_factors(directions);
  setup_vectors(options.chunk_bytes > 0 ? options.chunk_bytes : device.asynchronous() ? 16 << 20 : 1 << 20);
}

template <typename T>
void TransformsIn<T>::count(const std::vector<Eigenpairs> &directions)
{
  const auto n_lines = [&](int d) { // along direction d
    double n = 1.;
    for (int e = 0; e < dim; ++e)
      n *= e < d ? directions[e].n : e > d ? folded[e].nodes : 1;
    return n;
  };
  for (int d = 0; d < (in_double ? last() : dim); ++d)
    {
      const auto  &f       = folded[d];
      const double entries = f.parts == 1 ? double(f.nodes) * directions[d].n :
                                            double((f.nodes + 1) / 2) * ((directions[d].n + 1) / 2) +
                                              double(f.nodes / 2) * (directions[d].n / 2);
      flop += 4. * entries * n_lines(d);
      // There and back, each of them reads a matrix, values and coefficients.
      traffic += 2. * sizeof(T) * (entries + n_lines(d) * n_columns * (f.nodes + directions[d].n));
    }
  if (!in_double)
    return;
  // Two sweeps read and write all entries, and read the pivots.
  const double n = n_lines(last()) * folded[last()].nodes;
  flop += 6. * n;
  traffic += 2. * sizeof(double) * n * (1. + 2. * n_columns);
}

template <typename T>
void TransformsIn<T>::setup_direction(int d, const Eigenpairs &pairs, int split_from)
{
  const bool split = !pairs.parity.empty() && pairs.n_nodes >= split_from;
  const int  parts = split ? 2 : 1, most = (pairs.n_nodes + parts - 1) / parts;
  direct = direct && in_double && !split;
  // Rows of 16 bytes; without a copy they are those of b.
  const int multiple = in_double ? (split ? 2 : 1) : 16 / int(sizeof(T)),
            m        = (most + multiple - 1) / multiple * multiple;
  folded[d]          = {pairs.n_nodes, parts, m};
  pair_at[d].assign(parts * m, -1);
  Array<double> matrices(std::size_t(parts) * m * m, 0.);
  int           used[2] = {0, 0};
  for (int k = 0; k < pairs.n; ++k)
    {
      const int p = split && pairs.parity[k] < 0, column = used[p]++, half = split ? (pairs.n_nodes + !p) / 2 : most;
      pair_at[d][folded[d].position(d, p, column)] = k;
      for (int i = 0; i < half; ++i)
        matrices[(std::size_t(p) * m + i) * m + column] = pairs.vectors[std::size_t(i) * pairs.n + k];
    }
  if (!in_double || d != last())
    V[d] = Buffer<T>(device, matrices);
  zero += 1e-12 * *std::max_element(pairs.value.begin(), pairs.value.end());
}

template <typename T>
void TransformsIn<T>::setup_vectors(std::size_t chunk_bytes)
{
  const auto &f          = folded[last()];
  const auto  that_fit   = [&](std::size_t size) { return std::max<std::size_t>(1, chunk_bytes / (size * sizeof(T))); };
  planes                 = int(std::min<std::size_t>(f.m, that_fit(plane(1))));
  const std::size_t size = std::size_t(f.row()) * columns;
  positions              = int(std::min(slice(), (that_fit(size) + 7) / 8 * 8)); // a multiple of 16 bytes
  const std::size_t most = std::max(plane(planes), in_double ? 0 : positions * size);
  whole                  = Buffer<T>(device, slice() * size);
  divided                = in_double ? Buffer<T>(device, slice() * size) : whole;
  chunk                  = Buffer<T>(device, most);
  if (dim == 3)
    other_chunk = Buffer<T>(device, plane(planes));
  if (sizeof(Number) != sizeof(T))
    result = Buffer<Number>(device, plane(planes));
  if (!in_double)
    {
      norms       = ColumnNorms(device, folded[0].nodes * folded[1].nodes * folded[2].nodes, n_columns);
      scales      = Vector<double>(device, columns);
      scales_back = Vector<double>(device, columns);
    }
}

// The sum of eigenvalues and the product of weights at one position of the first `n` directions; no weight where there
// is only padding.
template <typename T>
std::pair<double, double> TransformsIn<T>::pair_of(const std::vector<Eigenpairs> &directions, int n,
                                                   std::size_t position) const
{
  double sum = 0., weight = 1.;
  for (int d = 0; d < n; position /= row(d), ++d)
    {
      const int pair = pair_at[d][position % row(d)];
      sum += pair < 0 ? 0. : directions[d].value[pair];
      weight *= pair < 0 ? 0. : directions[d].weight[pair];
    }
  return {sum, weight};
}

// The systems along the last direction; in low precision scale w_i w_j w_k / (λ_i + λ_j + λ_k), zero for zero
// eigenvalues, of which the largest is 1.
template <typename T>
void TransformsIn<T>::make_factors(const std::vector<Eigenpairs> &directions)
{
  if constexpr (in_double)
    {
      Array<double> lambda, weight;
      for (std::size_t s = 0; s < slice(); ++s)
        {
          const auto [sum, product] = pair_of(directions, last(), s);
          lambda.push_back(sum);
          weight.push_back(product);
        }
      lines = TridiagonalLines(device, directions[last()], folded[last()], lambda, weight, zero, columns);
      return;
    }
  Array<double> table(slice() * row(last()), 0.);
  double        largest = 0.;
  for (std::size_t at = 0; at < table.size(); ++at)
    {
      const auto [sum, weight] = pair_of(directions, dim, at);
      table[at]                = sum > zero ? weight / sum : 0.;
      largest                  = std::max(largest, table[at]);
    }
  scale = 1. / largest;
  for (double &factor : table)
    factor *= scale;
  factors = Vector<float>(device, table);
}

// to = Vᵀ from or, back, V from along direction d, for `outer` arrays of row(d) x pitch numbers, of which `inner` count
// in each row.
template <typename T>
template <typename R>
void TransformsIn<T>::transform(int d, bool back, int outer, int inner, const T *from, std::size_t from_pitch, R *to,
                                std::size_t to_pitch, bool add) const
{
  const auto       &f      = folded[d];
  const std::size_t square = std::size_t(f.m) * f.m;
  if (d == 0 && columns == 1) // lines are the rows of one matrix
    return products.multiply(
      {outer, f.m, f.m, false, back, f.row(), f.m, f.row(), f.parts, std::size_t(f.m), square, std::size_t(f.m)}, 1.,
      from, V[0].data(), double(add), to);
  const std::size_t odd  = f.position(d, 1, 0); // the first row of the odd part
  const int         step = f.position(d, 0, 1);
  ProductShape      shape{f.m, inner, f.m, !back, false, f.m, int(step * from_pitch), int(step * to_pitch)};
  shape.count      = outer == 1 ? f.parts : outer;
  shape.distance_A = outer == 1 ? square : 0;
  shape.distance_B = (outer == 1 ? odd : f.row()) * from_pitch;
  shape.distance_C = (outer == 1 ? odd : f.row()) * to_pitch;
  for (int p = 0; p < (outer == 1 ? 1 : f.parts); ++p)
    products.multiply(shape, 1., V[d].data() + p * square, from + p * odd * from_pitch, double(add),
                      to + p * odd * to_pitch);
}

// A functor for each node of the first parts, with that of the last direction from `first` on; see ChangeLayout.
template <typename T>
template <template <typename, int, int> class Change, typename... Arguments>
void TransformsIn<T>::change_layout(int first, int n, Arguments... arguments) const
{
  const auto launch = [&](auto width, auto corners) {
    constexpr int W = decltype(width)::value, C = decltype(corners)::value;
    FoldedNodes   nodes{{folded[0], folded[1], folded[2]}, last(), first, n, columns / W};
    device.for_each(nodes.size(), Change<T, W, C>{nodes, columns, n_columns, arguments...});
  };
  const auto with_width = [&](auto width) {
    if (dim == 2)
      launch(width, std::integral_constant<int, 4>());
    else
      launch(width, std::integral_constant<int, 8>());
  };
  if (columns % most_at_once == 0)
    with_width(std::integral_constant<int, most_at_once>());
  else
    with_width(std::integral_constant<int, 1>());
}

// Coefficients in all directions but the last, of n planes from the first on, into `whole`.
template <typename T>
void TransformsIn<T>::forth(const double *b, int first, int n)
{
  const T *from = chunk.data();
  if (!direct)
    change_layout<PackColumns>(first, n, b, in_double ? nullptr : scales.data(), chunk.data());
  else if constexpr (in_double)
    from = b + plane(first);
  int outer = folded[last()].parts * n, inner = columns;
  if (dim == 3)
    {
      transform(0, false, outer * row(1), inner, from, inner, other_chunk.data(), inner);
      from = other_chunk.data();
      inner *= row(0);
    }
  transform(dim - 2, false, outer, inner, from, inner, whole.data() + plane(first), inner);
}

// The inverse for the coefficients of all directions but the last: along the last one by elimination or, for n
// positions in each slice at a time, by its own eigenvectors.
template <typename T>
void TransformsIn<T>::divide()
{
  if constexpr (in_double)
    lines.solve(whole.data(), divided.data());
  else
    for (int first = 0; first < int(slice()); first += positions)
      {
        const int         d = last(), n = std::min(positions, int(slice()) - first), inner = n * columns;
        const std::size_t pitch = slice() * columns;
        T                *from  = whole.data() + std::size_t(first) * columns;
        transform(d, false, 1, inner, from, pitch, chunk.data(), inner);
        with_columns_at_once(columns, [&](auto width) {
          constexpr int W      = decltype(width)::value;
          const int     groups = columns / W;
          device.for_each(n * row(d) * groups,
                          DivideByEigenvalues<T, W>{groups, n, int(slice()), first, factors.data(), chunk.data()});
        });
        transform(d, true, 1, inner, chunk.data(), inner, from, pitch);
      }
}

// The way back into x.
template <typename T>
void TransformsIn<T>::back(int first, int n, bool add, double *x)
{
  const T  *from  = divided.data() + plane(first);
  const int outer = folded[last()].parts * n;
  int       lines = outer;
  if (dim == 3)
    {
      transform(1, true, outer, row(0) * columns, from, row(0) * columns, chunk.data(), row(0) * columns);
      from = chunk.data();
      lines *= row(1);
    }
  Number *to = result.data();
  if constexpr (std::is_same_v<T, Number>)
    to = dim == 2 ? chunk.data() : other_chunk.data();
  if constexpr (in_double)
    to = direct ? x + plane(first) : to;
  transform(0, true, lines, columns, from, columns, to, columns, add && direct);
  if (!direct)
    change_layout<UnpackColumns>(first, n, static_cast<const Number *>(to), in_double ? nullptr : scales_back.data(),
                                 add, x);
}

template <typename T>
void TransformsIn<T>::apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x)
{
  if (!in_double)
    device.for_each(columns, LowPrecisionScales{n_columns, length, 1. / scale, squares == nullptr ? norms(b) : squares,
                                                scales.data(), scales_back.data()});
  const int m = folded[last()].m;
  for (int first = 0; first < m; first += planes)
    forth(b.data(), first, std::min(planes, m - first));
  divide();
  for (int first = 0; first < m; first += planes)
    back(first, std::min(planes, m - first), add, x.data());
}

template <typename T>
std::size_t TransformsIn<T>::bytes() const
{
  std::size_t sum = whole.bytes() + chunk.bytes() + other_chunk.bytes() + result.bytes() +
                    (in_double ? divided.bytes() + lines.bytes() : factors.size() * sizeof(float));
  for (const auto &matrix : V)
    sum += matrix.bytes();
  return sum;
}

std::unique_ptr<FastDiagonalization::Transforms> make_transforms(const Device                  &device,
                                                                 const std::vector<Eigenpairs> &directions,
                                                                 Arithmetic arithmetic, int n_columns,
                                                                 const Options &options)
{
  switch (arithmetic)
    {
      case Arithmetic::float64:
        return std::make_unique<TransformsIn<double>>(device, directions, arithmetic, n_columns, options);
      case Arithmetic::bfloat16:
        return std::make_unique<TransformsIn<BFloat16>>(device, directions, arithmetic, n_columns, options);
      case Arithmetic::float16:
        return std::make_unique<TransformsIn<Float16>>(device, directions, arithmetic, n_columns, options);
      default: return std::make_unique<TransformsIn<float>>(device, directions, arithmetic, n_columns, options);
    }
}

} // namespace

FastDiagonalization::FastDiagonalization(const Device &device, const std::vector<Eigenpairs> &directions,
                                         Arithmetic arithmetic, int n_columns, const Options &options)
  : transforms(make_transforms(device, directions, arithmetic, n_columns, options))
{}
FastDiagonalization::~FastDiagonalization()                               = default;
FastDiagonalization::FastDiagonalization(FastDiagonalization &&) noexcept = default;

void FastDiagonalization::apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) const
{
  transforms->apply(b, squares, add, x);
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
