#include "multigrid/composed_levels.h"

#include "base/csr/csr_operations.h"
#include "base/exchange_plan.h"
#include "base/parallel_for.h"
#include "multigrid/smoothers/registry.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace adamant
{
namespace
{
// A vector as a linear map of the vectors in the array: a matrix whose columns are places in the array.
using Map = CSRMatrix<double>;

// The vector at this place itself.
Map identity(int n, int place)
{
  return matrix_of_rows(n, place + n, [place](int i, Row &row) { row.emplace_back(place + i, 1.); });
}

// A times the vector at this place.
Map shifted(Map A, int place)
{
  A.n_cols += place;
  for (int &column : A.column)
    column += place;
  return A;
}

// a X + b Y.
Map sum(double a, const Map &X, double b, const Map &Y)
{
  const int n_cols = std::max(X.n_cols, Y.n_cols);
  return matrix_of_rows(X.n_rows, n_cols, [&](int i, Row &row) {
    auto       k = X.row_start[i], l = Y.row_start[i];
    const auto k_end = X.row_start[i + 1], l_end = Y.row_start[i + 1];
    while (k < k_end || l < l_end)
      {
        const int  x = k < k_end ? X.column[k] : n_cols, y = l < l_end ? Y.column[l] : n_cols;
        const bool from_x = x <= y, from_y = y <= x;
        row.emplace_back(std::min(x, y), (from_x ? a * X.value[k] : 0.) + (from_y ? b * Y.value[l] : 0.));
        k += from_x;
        l += from_y;
      }
  });
}

// Adds zeros to A where a node of m rows has a part of a block of m x m entries, for the format of dense blocks.
Map with_whole_blocks(const Map &A, int m)
{
  return matrix_of_rows(A.n_rows, (A.n_cols + m - 1) / m * m, [&](int i, Row &row) {
    const int        first = i - i % m; // row of the node
    std::vector<int> blocks;
    for (auto k = A.row_start[first]; k < A.row_start[first + m]; ++k)
      blocks.push_back(A.column[k] / m);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    auto k = A.row_start[i];
    for (const int block : blocks)
      for (int column = block * m; column < (block + 1) * m; ++column)
        {
          const bool present = k < A.row_start[i + 1] && A.column[k] == column;
          row.emplace_back(column, present ? A.value[k] : 0.);
          k += present;
        }
  });
}

// About the entries of A B, from some of its rows.
std::int64_t estimated_entries(const CSRMatrix<double> &A, const Map &B)
{
  const int           n_samples = std::min(64, A.n_rows);
  Array<std::int64_t> entries(n_samples);
  parallel_for(n_samples, [&](std::size_t sample) {
    const auto       row = static_cast<std::int64_t>(A.n_rows) * sample / n_samples;
    std::vector<int> columns;
    for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      columns.insert(columns.end(), B.column.begin() + B.row_start[A.column[k]],
                     B.column.begin() + B.row_start[A.column[k] + 1]);
    std::sort(columns.begin(), columns.end());
    entries[sample] = std::unique(columns.begin(), columns.end()) - columns.begin();
  });
  return n_samples == 0 ? 0 : std::accumulate(entries.begin(), entries.end(), std::int64_t()) * A.n_rows / n_samples;
}

// The smoothing on a level: S, and alpha and beta of the steps before and after the coarse correction.
struct ComposedSmoothing
{
  using Steps = std::vector<std::pair<double, double>>;
  CSRMatrix<double> S;
  Steps             pre, post;
};

// Follows a V-cycle and writes down the vectors that the cycle stores.
class Composition
{
public:
  struct Stored
  {
    Map matrix;
    int place;
  };

  Composition(const std::vector<LevelData> &levels, const std::vector<ComposedSmoothing> &smoothing, int worth)
    : levels(levels)
    , smoothing(smoothing)
    , worth(worth)
  {
    const int b = allocate(levels.back().n_rows());
    cycle(levels.size() - 1, b);
  }

  std::vector<Stored> before, after; // the coarse solver
  int                 coarse_b = 0, coarse_x = 0, size = 0;

private:
  // The V-cycle on level l with the right-hand side at place b; where its result is.
  int cycle(std::size_t l, int b)
  {
    const LevelData &level = levels[l];
    const int        n     = level.n_rows();
    if (l == 0)
      {
        coarse_b        = b;
        return coarse_x = allocate(n);
      }
    const auto &[S, pre, post] = smoothing[l - 1];
    Map                     x  = smooth(level, S, pre, b, matrix_of_rows(n, size, [](int, Row &) {}), before);
    const CSRMatrix<double> RA = local_product(*level.restriction, level.matrix());
    store_if_worth(RA, x, level.node_size, before);
    const Map r = sum(1., shifted(*level.restriction, b), -1., local_product(RA, x));
    const int e = cycle(l - 1, store(r, level.node_size, before));
    x           = sum(1., x, 1., shifted(*level.prolongation, e));
    return store(smooth(level, S, post, b, x, after), level.node_size, after);
  }

  // The steps from x.
  Map smooth(const LevelData &level, const CSRMatrix<double> &S, const ComposedSmoothing::Steps &steps, int b, Map x,
             std::vector<Stored> &stored)
  {
    Map old = x;
    for (const auto &[alpha, beta] : steps)
      {
        store_if_worth(level.matrix(), x, level.node_size, stored);
        const Map r    = sum(1., identity(level.n_rows(), b), -1., local_product(level.matrix(), x));
        Map       next = sum(1., alpha == 0. ? x : sum(1. + alpha, x, -alpha, old), beta, local_product(S, r));
        old            = std::move(x);
        x              = std::move(next);
      }
    return x;
  }

  // Stores x, which is to be multiplied by A, unless a product by A x is about as quick as one by A and one for x.
  void store_if_worth(const CSRMatrix<double> &A, Map &x, int node_size, std::vector<Stored> &stored)
  {
    if (estimated_entries(A, x) > A.n_nonzeros() + x.n_nonzeros() + worth)
      x = identity(x.n_rows, store(x, node_size, stored));
  }

  int store(const Map &x, int node_size, std::vector<Stored> &stored)
  {
    const int place = allocate(x.n_rows);
    stored.push_back({1 < node_size && node_size <= 4 ? with_whole_blocks(x, node_size) : x, place});
    return place;
  }

  int allocate(int n)
  {
    const int place = size;
    size += n;
    return place;
  }

  const std::vector<LevelData>         &levels;
  const std::vector<ComposedSmoothing> &smoothing;
  const int                             worth;
};

// How many of the levels, from the coarsest, are composed; 1: none are. The smoother's S has to be known as a matrix
// (SmootherKind::matrix), and values may not change on the device. By default levels are composed on a device that
// waits for operations more than for their entries.
std::size_t n_levels_to_compose(const Device &device, const std::vector<LevelData> &levels,
                                const MultigridOptions &options)
{
  constexpr int entries_on_gpu = 180000;
  const bool    waits = device.traits().waits_for_launches && device.matrix_format() == MatrixFormat::compressed;
  if (options.smoother.arnoldi || options.smoothing_in_float || !smoother_kind(options.smoother.type).matrix)
    return 1;
  const auto last = std::find_if_not(levels.begin(), levels.end(), [&](const LevelData &level) {
    if (level.changing() || level.harmonic || !level.has_rows() || level.matrix().ghosts)
      return false;
    return options.compose_up_to >= 0 ? level.n_rows() <= options.compose_up_to :
                                        waits && level.matrix().n_nonzeros() <= entries_on_gpu;
  });
  return std::max<std::size_t>(last - levels.begin(), 1);
}
} // namespace

template <typename Number>
ComposedLevels<Number>::ComposedLevels(const Device &device, const std::vector<LevelData> &levels,
                                       const MultigridOptions &options)
  : device(device)
  , data(levels.begin(), levels.begin() + n_levels_to_compose(device, levels, options))
  , options(options)
{
  for (const LevelData &level : data)
    {
      this->levels.emplace_back(device, level);
      if (this->levels.size() > 1)
        smoothers.push_back(std::make_unique<PolynomialSmoother<Number>>(finest(), options.smoother));
    }
  solver = make_coarse_solver(this->levels[0], options);
  if (n_levels() > 1)
    compose();
  else
    for (Vector *vector : {&array, &coarse_x})
      *vector = Vector(device, finest().n_rows());
}

template <typename Number>
void ComposedLevels<Number>::update()
{
  for (auto &level : levels)
    level.update();
  for (auto &smoother : smoothers)
    smoother->update();
  solver->update();
  if (n_levels() > 1)
    compose();
}

template <typename Number>
void ComposedLevels<Number>::compose()
{
  std::vector<ComposedSmoothing> smoothing;
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      const auto S    = smoother_kind(options.smoother.type).matrix(levels[l].matrix(), levels[l].node_size);
      const auto pre  = smoothers[l - 1]->coefficients(options.pre_steps),
                 post = smoothers[l - 1]->coefficients(options.post_steps);
      smoothing.push_back({S, {pre.begin(), pre.end()}, {post.begin(), post.end()}});
    }
  Composition composition(data, smoothing, options.entries_of_an_operation);
  if (array.size() == 0)
    {
      const int n = levels[0].n_rows();
      array       = Vector(device, composition.size);
      coarse_b    = array.part(composition.coarse_b, n);
      coarse_x    = array.part(composition.coarse_x, n);
    }
  const auto take = [&](std::vector<Composition::Stored> &stored, std::vector<Product> &products) {
    const bool first = products.empty();
    for (std::size_t k = 0; k < stored.size(); ++k)
      {
        Map &matrix   = stored[k].matrix;
        matrix.n_cols = array.size();
        if (first)
          products.push_back(
            {Matrix<Number>(device, matrix, levels[0].node_size), array.part(stored[k].place, matrix.n_rows)});
        else
          products[k].matrix.update(matrix);
      }
  };
  take(composition.before, before);
  take(composition.after, after);
}

template <typename Number>
auto ComposedLevels<Number>::vmult(const Vector &b) -> const Vector &
{
  const bool composed = n_levels() > 1;
  if (composed && b.data() != array.data())
    {
      Vector own_b = input();
      device.copy(b, own_b);
    }
  const auto run = [this](std::vector<Product> &products) {
    for (Product &product : products)
      device.multiply(Number(1), product.matrix, array, Number(0), product.to);
  };
  run(before);
  solver->solve(composed ? coarse_b : b, coarse_x);
  run(after);
  return composed ? after.back().to : coarse_x;
}

template <typename Number>
void ComposedLevels<Number>::print(std::ostream &out) const
{
  for (std::size_t l = n_levels(); l-- > 1;)
    print_level(out, l, levels[l], smoothers[l - 1]->eigenvalue());
  print_level(out, 0, levels[0], 0., ", " + solver->description());
}

void print_level(std::ostream &out, std::size_t l, const LevelData &level, double eigenvalue, const std::string &solver)
{
  const auto *spread = level.ghosts();
  out << "  level " << l << ": " << (spread ? spread->n_global : level.n_rows()) << " unknowns" << solver;
  if (!(eigenvalue <= 0.)) // also NaN
    out << ", largest eigenvalue " << eigenvalue;
  out << '\n';
}

template class ComposedLevels<double>;
template class ComposedLevels<float>;
} // namespace adamant
