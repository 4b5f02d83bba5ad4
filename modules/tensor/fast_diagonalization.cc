#include "tensor/fast_diagonalization.h"

#include "base/exceptions.h"
#include "tensor/fast_diagonalization_functors.h"
#include "tensor/tridiagonal_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adamant
{
namespace
{
using Options = FastDiagonalization::Options;

// What right-hand sides are scaled to: coefficients stay below it, where Float16 ends at 65504.
constexpr double length = 8192.;

template <typename T>
class TransformsIn : public InverseIn<TransformsIn<T>, T>
{
public:
  TransformsIn(const Device &device, const std::vector<Eigenpairs> &directions, Arithmetic arithmetic, int n_columns,
               const Options &options)
    : Base(device, arithmetic, n_columns, false)
    , dim(static_cast<int>(directions.size()))
  {
    // In double it costs a pass over the vectors, else only launches: worth it where products take long.
    const int     split_from = options.split_from > 0 ? options.split_from : in_double ? 256 : 128;
    Array<double> vectors; // of the last direction
    for (int d = 0; d < dim; ++d)
      vectors = setup_direction(d, directions[d], split_from);
    // Inverses are read once for all columns.
    inverted = !in_double && columns >= (options.invert_from > 0 ? options.invert_from : (folded[last()].m + 1) / 2);
    count(directions);
    require(double(slice()) * row(last()) * columns <= std::numeric_limits<int>::max(),
            "fast diagonalization: ", n_columns, " right-hand sides of ",
            folded[0].nodes * folded[1].nodes * folded[2].nodes, " entries at once are more than 2^31 numbers");
    make_factors(directions, vectors);
    // On a GPU products of Tensor Cores take long enough only then; in 3D there are two such chunks.
    const std::size_t megabytes = !device.traits().waits_for_launches ? 1 : in_double ? 16 : dim == 3 ? 64 : 32;
    setup_vectors(options.chunk_bytes > 0 ? options.chunk_bytes : megabytes << 20);
  }

  template <typename Outer>
  void solve(const Vector<Outer> &b, const double *squares, bool add, Vector<Outer> &x)
  {
    // Vectors have the type and the layout of products; a column alone in float has no rows of 16 bytes.
    direct = std::is_same_v<Outer, T> && unfolded && (in_double || (columns > 1 && columns == n_columns));
    if (!in_double && !direct)
      this->scale_columns(b, squares, length, 1. / scale);
    const int rows = folded[last()].rows();
    for (int first = 0; first < rows; first += planes)
      forth(b.data(), first, std::min(planes, rows - first));
    divide();
    for (int first = 0; first < rows; first += planes)
      back(first, std::min(planes, rows - first), add, x.data());
  }
  std::size_t bytes() const override
  {
    std::size_t sum = whole.bytes() + chunk.bytes() + other_chunk.bytes() +
                      (divided.data() == whole.data() ? 0 : divided.bytes()) + inverses.bytes() +
                      (in_double ? lines.bytes() : factors.size() * sizeof(float));
    for (const auto &matrix : V)
      sum += matrix.bytes();
    return sum;
  }

private:
  using Base = InverseIn<TransformsIn<T>, T>;
  using Base::device, Base::products, Base::n_columns, Base::columns, Base::scales, Base::scales_back;
  using Base::flop, Base::traffic;
  static constexpr bool in_double = !Base::scaled;

  void count(const std::vector<Eigenpairs> &directions)
  {
    const auto n_lines = [&](int d) { // along direction d
      double n = 1.;
      for (int e = 0; e < dim; ++e)
        n *= e < d ? directions[e].n : e > d ? folded[e].nodes : 1;
      return n;
    };
    const auto n_entries = [&](int d, int n) { // of matrices with n columns
      const auto &f = folded[d];
      return f.parts == 1 ? double(f.nodes) * n :
                            double((f.nodes + 1) / 2) * ((n + 1) / 2) + double(f.nodes / 2) * (n / 2);
    };
    for (int d = 0; d < (in_double || inverted ? last() : dim); ++d)
      {
        const auto  &f       = folded[d];
        const double entries = n_entries(d, directions[d].n);
        flop += 4. * entries * n_lines(d);
        // There and back, each of them reads a matrix, values and coefficients.
        traffic += 2. * sizeof(T) * (entries + n_lines(d) * n_columns * (f.nodes + directions[d].n));
      }
    const double n = n_lines(last()) * folded[last()].nodes;
    if (inverted)
      {
        const double entries = n_lines(last()) * n_entries(last(), folded[last()].nodes);
        flop += 2. * entries;
        traffic += sizeof(T) * (entries + 2. * n * n_columns);
      }
    if (!in_double)
      return;
    // Two sweeps read and write all entries, and read the pivots.
    flop += 6. * n;
    traffic += 2. * sizeof(double) * n * (1. + 2. * n_columns);
  }

  // The eigenvectors, in double as well.
  Array<double> setup_direction(int d, const Eigenpairs &pairs, int split_from)
  {
    const bool split = !pairs.parity.empty() && pairs.n_nodes >= split_from;
    const int  parts = split ? 2 : 1, most = (pairs.n_nodes + parts - 1) / parts;
    unfolded = unfolded && !split;
    // Rows have multiples of 16 bytes; without a copy they are the rows of b.
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
      V[d] = to_list<T>(device, matrices);
    zero += 1e-12 * *std::max_element(pairs.value.begin(), pairs.value.end());
    return matrices;
  }

  void setup_vectors(std::size_t chunk_bytes)
  {
    const auto that_fit = [&](std::size_t size) { return std::max<std::size_t>(1, chunk_bytes / (size * sizeof(T))); };
    planes              = int(std::min<std::size_t>(folded[last()].m, that_fit(plane(1))));
    const std::size_t size     = std::size_t(row(last())) * columns;
    positions                  = int(std::min(slice(), (that_fit(size) + 7) / 8 * 8)); // a multiple of 16 bytes
    const bool        in_place = !in_double && !inverted;
    const std::size_t most     = std::max(plane(planes), in_place ? positions * size : 0);
    whole                      = List<T>(device, slice() * size);
    divided                    = in_place ? whole : List<T>(device, slice() * size);
    chunk                      = List<T>(device, most);
    if (dim == 3)
      other_chunk = List<T>(device, plane(planes));
    if (!in_double)
      this->make_scales(folded[0].nodes * folded[1].nodes * folded[2].nodes);
  }

  // The sum of eigenvalues and the product of weights at one position of the first `n` directions; no weight where there
  // is only padding.
  std::pair<double, double> pair_of(const std::vector<Eigenpairs> &directions, int n, std::size_t position) const
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
  void make_factors(const std::vector<Eigenpairs> &directions, const Array<double> &last_vectors)
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
    if (inverted)
      make_inverses(table, last_vectors);
  }

  // Σ_k f_sk v_k v_kᵀ of the last direction for all coefficients s of the others, computed in double. Products undo a
  // power of two that keeps entries small enough for Float16, and otherwise large.
  void make_inverses(const Array<double> &table, const Array<double> &vectors)
  {
    const auto         &f = folded[last()];
    const int           n = int(slice()), square = f.m * f.m, at_once = std::max(1, (1 << 22) / square);
    const DenseProducts exact(device, Arithmetic::float64);
    const List<double>  V(device, vectors, "dense matrices");
    List<double>        scaled(device, std::size_t(at_once) * square), product(device, std::size_t(at_once) * square);
    Array<double>       sums(n, 0.); // of each coefficient, at least its largest entry
    for (int p = 0; p < f.parts; ++p)
      for (int k = 0; k < f.m; ++k)
        {
          double most = 0.;
          for (int i = 0; i < f.m; ++i)
            most = std::max(most, std::abs(vectors[(std::size_t(p) * f.m + i) * f.m + k]));
          for (int s = 0; s < n; ++s)
            sums[s] += most * most * table[std::size_t(f.position(last(), p, k)) * n + s];
        }
    inverse_scale = std::exp2(std::floor(std::log2(1024. / *std::max_element(sums.begin(), sums.end()))));
    inverses      = List<T>(device, std::size_t(f.parts) * n * square, "dense matrices");
    for (int p = 0; p < f.parts; ++p)
      for (int first = 0; first < n; first += at_once)
        {
          const int     count = std::min(at_once, n - first);
          const double *V_p   = V.data() + std::size_t(p) * square;
          device.for_each(count * square,
                          ScaleEigenvectors{f.m, f.parts, p, n, first, V_p, factors.data(), scaled.data()});
          ProductShape shape{f.m, f.m, f.m, false, true, f.m, f.m, f.m};
          shape.count      = count;
          shape.distance_A = shape.distance_C = square;
          exact.multiply(shape, 1., scaled.data(), V_p, 0., product.data());
          device.for_each(count * square, RoundScaled<T>{float(inverse_scale), product.data(),
                                                         inverses.data() + (std::size_t(p) * n + first) * square});
        }
    device.synchronize(); // before the vectors end
  }

  // Computes to = a Vᵀ from or, back, a V from (+ to) along direction d. Each of `outer` arrays has rows of pitch
  // numbers, of which `inner` count: row(d) rows of coefficients, or node_row(d) of nodes.
  void transform(int d, bool back, int outer, int inner, const T *from, std::size_t from_pitch, T *to,
                 std::size_t to_pitch, double a = 1., bool add = false) const
  {
    const auto       &f      = folded[d];
    const std::size_t square = std::size_t(f.m) * f.m, odd = f.position(d, 1, 0); // the first row of the odd part
    if (d == 0 && columns == 1)                                                   // lines are the rows of one matrix
      return products.multiply(
        {outer, f.m, f.m, false, back, f.row(), f.m, f.row(), f.parts, std::size_t(f.m), square, std::size_t(f.m)}, a,
        from, V[0].data(), double(add), to);
    const int    step = f.position(d, 0, 1), m = back ? f.rows() : f.m, k = back ? f.m : f.rows();
    ProductShape shape{m, inner, k, !back, false, f.m, int(step * from_pitch), int(step * to_pitch)};
    shape.count      = outer == 1 ? f.parts : outer;
    shape.distance_A = outer == 1 ? square : 0;
    shape.distance_B = (outer == 1 ? odd : back ? f.row() : node_row(d)) * from_pitch;
    shape.distance_C = (outer == 1 ? odd : back ? node_row(d) : f.row()) * to_pitch;
    for (int p = 0; p < (outer == 1 ? 1 : f.parts); ++p)
      products.multiply(shape, a, V[d].data() + p * square, from + p * odd * from_pitch, double(add),
                        to + p * odd * to_pitch);
  }

  // make(nodes, W, C) is a functor for each node of the first parts, with that of the last direction from `first` on.
  template <typename Outer, class MakeFunctor>
  void change_layout(int first, int n, const MakeFunctor &make) const
  {
    with_columns_at_once<Outer>(n_columns, [&](auto W) {
      const FoldedNodes nodes(folded, last(), first, n, columns / W);
      const auto        launch = [&](auto C) { device.for_each(nodes.size(), make(nodes, W, C)); };
      if (unfolded)
        launch(std::integral_constant<int, 1>());
      else
        dim == 2 ? launch(std::integral_constant<int, 4>()) : launch(std::integral_constant<int, 8>());
    });
  }

  // Coefficients in all directions but the last, of n planes from the first on, into `whole`.
  template <typename Outer>
  void forth(const Outer *b, int first, int n)
  {
    const T *from = chunk.data();
    if (!direct)
      change_layout<Outer>(first, n, [&](const FoldedNodes &nodes, auto W, auto C) {
        return PackColumns<Outer, T, W, C>{nodes,       columns, n_columns, b, in_double ? nullptr : scales.data(),
                                           chunk.data()};
      });
    else if constexpr (std::is_same_v<Outer, T>)
      from = b + node_plane(first);
    int outer = folded[last()].parts * n, inner = columns;
    if (dim == 3)
      {
        transform(0, false, outer * node_row(1), inner, from, inner, other_chunk.data(), inner);
        from = other_chunk.data();
        inner *= row(0);
      }
    transform(dim - 2, false, outer, inner, from, inner, whole.data() + plane(first), inner);
  }

  // Applies the inverse to the coefficients of all directions but the last. It eliminates along the last one, takes a
  // matrix for each of them or, for n positions in each slice at a time, the last direction's eigenvectors.
  void divide()
  {
    if constexpr (in_double)
      lines.solve(whole.data(), divided.data());
    else if (inverted)
      {
        const auto       &f     = folded[last()];
        const std::size_t pitch = slice() * columns, square = std::size_t(f.m) * f.m;
        const int         row = int(f.parts * pitch), n = int(slice());
        for (int p = 0; p < f.parts; ++p)
          products.multiply(
            {f.m, columns, f.m, false, false, f.m, row, row, n, square, std::size_t(columns), std::size_t(columns)},
            1. / inverse_scale, inverses.data() + p * n * square, whole.data() + p * pitch, 0.,
            divided.data() + p * pitch);
      }
    else
      for (int first = 0; first < int(slice()); first += positions)
        {
          const int         d = last(), n = std::min(positions, int(slice()) - first), inner = n * columns;
          const std::size_t pitch = slice() * columns;
          T                *from  = whole.data() + std::size_t(first) * columns;
          transform(d, false, 1, inner, from, pitch, chunk.data(), inner);
          with_columns_at_once<T>(columns, [&](auto W) {
            device.for_each(inner / W * row(d),
                            DivideByEigenvalues<T, W>{Divisor(columns / W), Divisor(n), int(slice()), first,
                                                      factors.data(), chunk.data()});
          });
          transform(d, true, 1, inner, chunk.data(), inner, from, pitch);
        }
  }

  // The way back into x.
  template <typename Outer>
  void back(int first, int n, bool add, Outer *x)
  {
    const T *from  = divided.data() + plane(first);
    int      lines = folded[last()].parts * n;
    if (dim == 3)
      {
        transform(1, true, lines, row(0) * columns, from, row(0) * columns, chunk.data(), row(0) * columns);
        from = chunk.data();
        lines *= node_row(1);
      }
    T *to = dim == 2 ? chunk.data() : other_chunk.data();
    if constexpr (std::is_same_v<Outer, T>)
      to = direct ? x + node_plane(first) : to;
    transform(0, true, lines, columns, from, columns, to, columns, direct ? 1. / scale : 1., add && direct);
    if (!direct)
      change_layout<Outer>(first, n, [&](const FoldedNodes &nodes, auto W, auto C) {
        return UnpackColumns<T, Outer, W, C>{nodes, columns, n_columns, to, in_double ? nullptr : scales_back.data(),
                                             add,   x};
      });
  }

  int         row(int d) const { return folded[d].row(); }
  int         node_row(int d) const { return direct ? folded[d].nodes : row(d); } // where nodes have their values
  int         last() const { return dim - 1; } // the direction whose products follow the others'
  std::size_t slice() const { return std::size_t(row(0)) * (dim == 3 ? row(1) : 1); } // of it: numbers of a column
  std::size_t plane(int k) const { return slice() * columns * folded[last()].parts * k; }
  std::size_t node_plane(int k) const { return std::size_t(node_row(0)) * (dim == 3 ? node_row(1) : 1) * columns * k; }

  int              dim;
  FoldedDirection  folded[3];
  List<T>          V[3];                            // a square matrix for each part: nodes by coefficients
  Array<int>       pair_at[3];                      // of each coefficient its eigenpair, or -1
  bool             unfolded = true, direct = false; // one part each; products read b and write x themselves
  bool             inverted = false;          // the last direction has a matrix for each coefficient of the others
  double           zero = 0, scale = 1;       // eigenvalues up to `zero` are the constants'
  int              planes = 0, positions = 0; // at a time: nodes of a part in the last direction, numbers of a slice
  List<T>          inverses;                  // of all coefficients for the first part, then for the second one
  double           inverse_scale = 1;         // what they are stored times
  List<T>          whole, divided, chunk, other_chunk; // divided: `whole` where products divide in place
  TridiagonalLines lines;                              // in double
  Vector<float>    factors;                            // of the coefficients, else
};
} // namespace

FastDiagonalization::FastDiagonalization(const Device &device, const std::vector<Eigenpairs> &directions,
                                         Arithmetic arithmetic, int n_columns, const Options &options)
  : ColumnInverse(with_storage_type(arithmetic, [&](auto number) -> std::unique_ptr<InArithmetic> {
    return std::make_unique<TransformsIn<decltype(number)>>(device, directions, arithmetic, n_columns, options);
  }))
{}
} // namespace adamant
