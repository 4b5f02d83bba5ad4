#include "algebra/flow_products.h"

#include "algebra/host/ghosts.h"

#include <algorithm>
#include <array>

namespace adamant
{
namespace
{
// The offsets column - row that occur in the rows [first, end), ascending.
void collect_offsets(const CSRMatrix<double> &A, int first, int end, std::vector<int> &offsets)
{
  offsets.clear();
  for (int row = first; row < end; ++row)
    for (int k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      offsets.push_back(A.column[k] - row);
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
}

using Matrices = std::vector<const CSRMatrix<double> *>;

// The bundle of the matrices that `part` makes of these.
template <typename Part>
MatrixBundle bundle_of_parts(const Matrices &matrices, int lanes, const Part &part)
{
  std::vector<CSRMatrix<double>> parts;
  for (const auto *matrix : matrices)
    parts.push_back(part(*matrix));
  Matrices pointers;
  for (const auto &matrix : parts)
    pointers.push_back(&matrix);
  return bundle(pointers, lanes);
}

// The entries of these rows in the columns from `first` on, which become column 0 and so on.
CSRMatrix<double> last_columns(const CSRMatrix<double> &source, const Array<int> &rows, int first)
{
  CSRMatrix<double> last;
  last.n_rows = static_cast<int>(rows.size());
  last.n_cols = source.n_cols - first;
  last.row_start.push_back(0);
  for (const int row : rows)
    {
      for (int k = source.row_start[row]; k < source.row_start[row + 1]; ++k)
        if (source.column[k] >= first)
          {
            last.column.push_back(source.column[k] - first);
            last.value.push_back(source.value[k]);
          }
      last.row_start.push_back(static_cast<int>(last.column.size()));
    }
  return last;
}
} // namespace

GhostBundle ghost_bundle(const std::vector<const CSRMatrix<double> *> &matrices, int lanes)
{
  const CSRMatrix<double> &A = *matrices[0];
  GhostBundle              ghosts;
  ghosts.plan = A.ghosts;
  if (!A.ghosts)
    return ghosts;
  const int n_owned = A.ghosts->n_owned;
  for (int row = 0; row < A.n_rows; ++row) // columns ascend: ghosts come last
    if (const int end = A.row_start[row + 1]; end > A.row_start[row] && A.column[end - 1] >= n_owned)
      ghosts.row.push_back(row);
  ghosts.entries = bundle_of_parts(
    matrices, lanes, [&](const CSRMatrix<double> &matrix) { return last_columns(matrix, ghosts.row, n_owned); });
  return ghosts;
}

MatrixBundle bundle(const std::vector<const CSRMatrix<double> *> &matrices, int lanes)
{
  const CSRMatrix<double> &A = *matrices[0];
  if (A.ghosts)
    return bundle_of_parts(matrices, lanes, owned_block);
  MatrixBundle b;
  b.n_rows           = A.n_rows;
  b.n_cols           = A.n_cols;
  b.n_matrices       = static_cast<int>(matrices.size());
  b.lanes            = lanes;
  const int n_slices = (A.n_rows + lanes - 1) / lanes;
  b.slices.resize(n_slices);

#pragma omp parallel
  {
    std::vector<int> offsets;
#pragma omp for schedule(static)
    for (int s = 0; s < n_slices; ++s)
      {
        const int first = s * lanes, end = std::min(A.n_rows, first + lanes);
        int       widest = 0;
        for (int row = first; row < end; ++row)
          widest = std::max(widest, A.row_start[row + 1] - A.row_start[row]);
        collect_offsets(A, first, end, offsets);
        const int  n         = static_cast<int>(offsets.size());
        const bool inside    = n > 0 && first + offsets.front() >= 0 && first + lanes + offsets.back() <= A.n_cols;
        b.slices[s].diagonal = first + lanes <= A.n_rows && inside && n <= widest + widest / 8;
        b.slices[s].width    = b.slices[s].diagonal ? n : widest;
      }
  }
  long n_values = 0, n_offsets = 0, n_columns = 0;
  for (auto &slice : b.slices)
    {
      slice.value  = n_values;
      slice.column = static_cast<int>(slice.diagonal ? n_offsets : n_columns);
      n_values += slice.width;
      (slice.diagonal ? n_offsets : n_columns) += slice.width;
    }
  b.offset.resize(n_offsets);
  b.column.resize(n_columns * lanes);
  b.value.resize(static_cast<std::size_t>(n_values) * b.n_matrices * lanes);

#pragma omp parallel
  {
    std::vector<int> offsets;
#pragma omp for schedule(static)
    for (int s = 0; s < n_slices; ++s)
      {
        const auto &slice = b.slices[s];
        const int   first = s * lanes, end = std::min(A.n_rows, first + lanes);
        double     *value = b.value.data() + slice.value * b.n_matrices * lanes;
        std::fill_n(value, static_cast<long>(slice.width) * b.n_matrices * lanes, 0.);
        if (slice.diagonal)
          {
            collect_offsets(A, first, end, offsets);
            std::copy(offsets.begin(), offsets.end(), b.offset.begin() + slice.column);
          }
        else // absent entries read the row's first column, times zero
          for (int e = 0; e < slice.width; ++e)
            for (int lane = 0; lane < lanes; ++lane)
              {
                const int row = std::min(first + lane, end - 1);
                b.column[(static_cast<long>(slice.column) + e) * lanes + lane] =
                  A.row_start[row] < A.row_start[row + 1] ? A.column[A.row_start[row]] : 0;
              }
        for (int row = first; row < end; ++row)
          for (int k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
            {
              const int lane = row - first;
              int       e    = k - A.row_start[row];
              if (slice.diagonal)
                e = static_cast<int>(std::lower_bound(offsets.begin(), offsets.end(), A.column[k] - row) -
                                     offsets.begin());
              else
                b.column[(static_cast<long>(slice.column) + e) * lanes + lane] = A.column[k];
              for (int m = 0; m < b.n_matrices; ++m)
                value[(static_cast<long>(e) * b.n_matrices + m) * lanes + lane] = matrices[m]->value[k];
            }
      }
  }
  return b;
}

namespace
{
constexpr int lanes = 8; // doubles of one AVX-512 register

// Calls entry(values, column_of_lane) for the entries of a slice, values + m lanes those of matrix m.
template <typename Entry>
inline void for_each_entry(const MatrixBundle &A, int s, const Entry &entry)
{
  const auto   &slice = A.slices[s];
  const double *value = A.value.data() + slice.value * A.n_matrices * lanes;
  if (slice.diagonal)
    for (int e = 0; e < slice.width; ++e, value += A.n_matrices * lanes)
      {
        const int first = s * lanes + A.offset[slice.column + e];
        entry(value, [first](int lane) { return first + lane; });
      }
  else
    for (int e = 0; e < slice.width; ++e, value += A.n_matrices * lanes)
      {
        const int *column = A.column.data() + (static_cast<long>(slice.column) + e) * lanes;
        entry(value, [column](int lane) { return column[lane]; });
      }
}

// sum[c] of each row of a slice: Σ_j (K + Σ_d A_d u_d)_ij u_cj + A_c,ij p_j; value_at(c, j) is u_cj, or p_j for c = dim.
template <int dim, typename Values>
inline void momentum_sums(const MatrixBundle &A, int s, const Values &value_at, double (&sum)[dim][lanes])
{
  for_each_entry(A, s, [&](const double *value, const auto &column) {
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane)
      {
        const int j = column(lane);
        double    w = value[lane]; // (K + Σ_d A_d u_d)_ij
        for (int d = 0; d < dim; ++d)
          w += value[(1 + d) * lanes + lane] * value_at(d, j);
        for (int c = 0; c < dim; ++c)
          sum[c][lane] += w * value_at(c, j) + value[(1 + c) * lanes + lane] * value_at(dim, j);
      }
  });
}

// Σ_d W_d,ij u_dj of each row of a slice, likewise.
template <int dim, typename Values>
inline void divergence_sums(const MatrixBundle &W, int s, const Values &value_at, double (&sum)[lanes])
{
  for_each_entry(W, s, [&](const double *value, const auto &column) {
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane)
      for (int d = 0; d < dim; ++d)
        sum[lane] += value[d * lanes + lane] * value_at(d, column(lane));
  });
}

// Where the components of u begin, and p.
template <int dim>
std::array<const double *, dim + 1> components_of(const double *u, long n, const double *p = nullptr)
{
  std::array<const double *, dim + 1> components;
  for (int c = 0; c < dim; ++c)
    components[c] = u + c * n;
  components[dim] = p;
  return components;
}

// Calls sums(s, sum) for each slice, which fills sum[c][lane], then row(i, lane, sum) for its rows.
template <int n_sums, typename Sums, typename Row>
void for_each_row(const MatrixBundle &A, int n_threads, const Sums &sums, const Row &row)
{
  const int n_slices = static_cast<int>(A.slices.size());
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int s = 0; s < n_slices; ++s)
    {
      alignas(64) double sum[n_sums][lanes] = {};
      sums(s, sum);
      for (int lane = 0, i = s * lanes; lane < lanes && i < A.n_rows; ++lane, ++i)
        row(i, lane, sum);
    }
}
} // namespace

template <int dim>
auto FlowProducts<dim, HostBackend<double>>::ghosts_of(const std::vector<const CSRMatrix<double> *> &matrices,
                                                       int n_components) -> std::unique_ptr<Ghosts>
{
  auto       bundle = ghost_bundle(matrices, lanes);
  const auto plan   = bundle.plan;
  return plan ? std::unique_ptr<Ghosts>(new Ghosts{std::move(bundle), GhostExchange<double>(*plan, n_components)}) :
                nullptr;
}

template <int dim>
FlowProducts<dim, HostBackend<double>>::FlowProducts(const Backend                                &backend,
                                                     const std::vector<const CSRMatrix<double> *> &momentum_matrices,
                                                     const std::vector<const CSRMatrix<double> *> &divergence_matrices)
  : backend(backend)
  , momentum_bundle(bundle(momentum_matrices, lanes))
  , divergence_bundle(bundle(divergence_matrices, lanes))
  , momentum_ghosts(ghosts_of(momentum_matrices, dim + 1))
  , divergence_ghosts(ghosts_of(divergence_matrices, dim))
{}

template <int dim>
void FlowProducts<dim, HostBackend<double>>::momentum(double dt, const Vector &u_, const Vector &p_,
                                                      const Vector &inverse_mass_, const Vector &force_,
                                                      Vector &u_new_) const
{
  const auto   &A = momentum_bundle;
  const long    n = A.n_rows;
  const double *u = u_.data(), *p = p_.data(), *inverse_mass = inverse_mass_.data();
  const double *force = force_.size() > 0 ? force_.data() : nullptr;
  double       *u_new = u_new_.data();
  if (momentum_ghosts)
    momentum_ghosts->exchange.start(components_of<dim>(u, n, p).data());
  const auto value_at = [=](int c, int j) { return c < dim ? u[c * n + j] : p[j]; };
  for_each_row<dim>(
    A, n < 4096 ? 1 : backend.n_threads(), [&](int s, auto &sum) { momentum_sums<dim>(A, s, value_at, sum); },
    [=](int i, int lane, const auto &sum) {
      for (int c = 0; c < dim; ++c)
        u_new[c * n + i] =
          u[c * n + i] + dt * ((force != nullptr ? force[c * n + i] : 0.) - sum[c][lane] * inverse_mass[i]);
    });
  if (!momentum_ghosts)
    return;
  const auto   &G        = momentum_ghosts->bundle;
  const double *ghosts   = momentum_ghosts->exchange.finish();
  const auto    ghost_at = [=](int c, int j) { return ghosts[j * (dim + 1L) + c]; };
  for_each_row<dim>(
    G.entries, 1, [&](int s, auto &sum) { momentum_sums<dim>(G.entries, s, ghost_at, sum); },
    [=, row = G.row.data()](int k, int lane, const auto &sum) {
      for (int c = 0; c < dim; ++c)
        u_new[c * n + row[k]] -= dt * sum[c][lane] * inverse_mass[row[k]];
    });
}

template <int dim>
void FlowProducts<dim, HostBackend<double>>::divergence(const Vector &u_, Vector &g_) const
{
  const auto   &W = divergence_bundle;
  const long    n = W.n_cols;
  const double *u = u_.data();
  double       *g = g_.data();
  if (divergence_ghosts)
    divergence_ghosts->exchange.start(components_of<dim>(u, n).data());
  const auto value_at = [=](int d, int j) { return u[d * n + j]; };
  for_each_row<1>(
    W, W.n_rows < 1024 ? 1 : backend.n_threads(),
    [&](int s, auto &sum) { divergence_sums<dim>(W, s, value_at, sum[0]); },
    [=](int i, int lane, const auto &sum) { g[i] = sum[0][lane]; });
  if (!divergence_ghosts)
    return;
  const auto   &G        = divergence_ghosts->bundle;
  const double *ghosts   = divergence_ghosts->exchange.finish();
  const auto    ghost_at = [=](int d, int j) { return ghosts[long(j) * dim + d]; };
  for_each_row<1>(
    G.entries, 1, [&](int s, auto &sum) { divergence_sums<dim>(G.entries, s, ghost_at, sum[0]); },
    [=, row = G.row.data()](int k, int lane, const auto &sum) { g[row[k]] += sum[0][lane]; });
}

template <int dim>
std::size_t FlowProducts<dim, HostBackend<double>>::momentum_bytes() const
{
  return momentum_bundle.bytes() + 2 * sizeof(double) * (dim + 1) * momentum_bundle.n_rows;
}

template <int dim>
std::size_t FlowProducts<dim, HostBackend<double>>::divergence_bytes() const
{
  return divergence_bundle.bytes() +
         sizeof(double) * (static_cast<std::size_t>(dim) * divergence_bundle.n_cols + divergence_bundle.n_rows);
}

template class FlowProducts<2, HostBackend<double>>;
template class FlowProducts<3, HostBackend<double>>;
} // namespace adamant
