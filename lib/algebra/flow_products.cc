#include "algebra/flow_products.h"

#include <algorithm>

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
} // namespace

MatrixBundle bundle(const std::vector<const CSRMatrix<double> *> &matrices, int lanes)
{
  const CSRMatrix<double> &A = *matrices[0];
  MatrixBundle             b;
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
} // namespace

template <int dim>
FlowProducts<dim, HostBackend<double>>::FlowProducts(const Backend                                &backend,
                                                     const std::vector<const CSRMatrix<double> *> &momentum_matrices,
                                                     const std::vector<const CSRMatrix<double> *> &divergence_matrices)
  : backend(backend)
  , momentum_bundle(bundle(momentum_matrices, lanes))
  , divergence_bundle(bundle(divergence_matrices, lanes))
{}

template <int dim>
void FlowProducts<dim, HostBackend<double>>::momentum(double dt, const Vector &u_, const Vector &p_,
                                                      const Vector &inverse_mass, const Vector &force,
                                                      Vector &u_new) const
{
  const int     n      = momentum_bundle.n_rows;
  const long    stride = n;
  const double *u = u_.data(), *p = p_.data();
  const int     n_slices = static_cast<int>(momentum_bundle.slices.size());
#pragma omp parallel for num_threads(n < 4096 ? 1 : backend.n_threads()) schedule(static)
  for (int s = 0; s < n_slices; ++s)
    {
      alignas(64) double sum[dim][lanes] = {};
      for_each_entry(momentum_bundle, s, [&](const double *value, const auto &column) {
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane)
          {
            const int j = column(lane);
            double    w = value[lane]; // (K + Σ_d A_d u_d)_ij
            for (int d = 0; d < dim; ++d)
              w += value[(1 + d) * lanes + lane] * u[d * stride + j];
            for (int c = 0; c < dim; ++c)
              sum[c][lane] += w * u[c * stride + j] + value[(1 + c) * lanes + lane] * p[j];
          }
      });
      for (int lane = 0, i = s * lanes; lane < lanes && i < n; ++lane, ++i)
        for (int c = 0; c < dim; ++c)
          u_new.data()[c * stride + i] =
            u[c * stride + i] +
            dt * ((force.size() > 0 ? force.data()[c * stride + i] : 0.) - sum[c][lane] * inverse_mass.data()[i]);
    }
}

template <int dim>
void FlowProducts<dim, HostBackend<double>>::divergence(const Vector &u_, Vector &g) const
{
  const int     n        = divergence_bundle.n_rows;
  const long    stride   = divergence_bundle.n_cols;
  const double *u        = u_.data();
  const int     n_slices = static_cast<int>(divergence_bundle.slices.size());
#pragma omp parallel for num_threads(n < 1024 ? 1 : backend.n_threads()) schedule(static)
  for (int s = 0; s < n_slices; ++s)
    {
      alignas(64) double sum[lanes] = {};
      for_each_entry(divergence_bundle, s, [&](const double *value, const auto &column) {
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane)
          for (int d = 0; d < dim; ++d)
            sum[lane] += value[d * lanes + lane] * u[d * stride + column(lane)];
      });
      for (int lane = 0, i = s * lanes; lane < lanes && i < n; ++lane, ++i)
        g.data()[i] = sum[lane];
    }
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
