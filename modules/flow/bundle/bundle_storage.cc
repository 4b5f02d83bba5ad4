#include "flow/bundle/bundle_storage.h"

#include <algorithm>

namespace adamant
{
namespace
{
using Matrices = std::vector<const CSRMatrix<double> *>;

// The offsets column - row that occur in the rows [first, end), ascending.
std::vector<int> offsets_of(const CSRMatrix<double> &A, int first, int end)
{
  std::vector<int> offsets;
  for (int row = first; row < end; ++row)
    for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      offsets.push_back(A.column[k] - row);
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

// Packs the matrices that `part` makes of these.
template <typename Part>
PackedMatrices pack_parts(const Matrices &matrices, int lanes, const Part &part)
{
  std::vector<CSRMatrix<double>> parts;
  for (const auto *matrix : matrices)
    parts.push_back(part(*matrix));
  Matrices pointers;
  for (const auto &matrix : parts)
    pointers.push_back(&matrix);
  return pack(pointers, lanes);
}

// The ghosts' part of these rows; all other rows have none.
CSRMatrix<double> ghost_rows(const CSRMatrix<double> &source, const Array<int> &rows)
{
  CSRMatrix<double> part = ghost_block(source);
  part.n_rows            = static_cast<int>(rows.size());
  for (int k = 0; k < part.n_rows; ++k)
    part.row_start[k + 1] = part.row_start[rows[k] + 1];
  part.row_start.resize(part.n_rows + 1);
  return part;
}

// How slice s stores its columns, and its width.
void choose_columns(const CSRMatrix<double> &A, PackedMatrices &packed, int s)
{
  const int first = s * packed.lanes, end = std::min(A.n_rows, first + packed.lanes);
  int       widest = 0;
  for (int row = first; row < end; ++row)
    widest = std::max(widest, static_cast<int>(A.row_start[row + 1] - A.row_start[row]));
  const auto offsets = offsets_of(A, first, end);
  const int  n       = static_cast<int>(offsets.size());
  const bool inside  = n > 0 && first + offsets.front() >= 0 && first + packed.lanes + offsets.back() <= A.n_cols;
  auto      &slice   = packed.slices[s];
  slice.diagonal     = first + packed.lanes <= A.n_rows && inside && n <= widest + widest / 8;
  slice.width        = slice.diagonal ? n : widest;
}

// Where the slices begin, and room for all of them.
void place_slices(PackedMatrices &packed)
{
  long n_values = 0, n_offsets = 0, n_columns = 0;
  for (auto &slice : packed.slices)
    {
      slice.value  = n_values;
      slice.column = static_cast<int>(slice.diagonal ? n_offsets : n_columns);
      n_values += slice.width;
      (slice.diagonal ? n_offsets : n_columns) += slice.width;
    }
  packed.offset.resize(n_offsets);
  packed.column.resize(n_columns * packed.lanes);
  packed.value.resize(static_cast<std::size_t>(n_values) * packed.n_matrices * packed.lanes);
}

// The columns and values of slice s.
void fill_slice(const Matrices &matrices, PackedMatrices &packed, int s)
{
  const CSRMatrix<double> &A     = *matrices[0];
  const int                lanes = packed.lanes, n_matrices = packed.n_matrices;
  const auto              &slice = packed.slices[s];
  const int                first = s * lanes, end = std::min(A.n_rows, first + lanes);
  double                  *value  = packed.value.data() + slice.value * n_matrices * lanes;
  int                     *column = packed.column.data() + static_cast<long>(slice.column) * lanes;
  std::fill_n(value, static_cast<long>(slice.width) * n_matrices * lanes, 0.);
  const auto offsets = slice.diagonal ? offsets_of(A, first, end) : std::vector<int>();
  if (slice.diagonal)
    std::copy(offsets.begin(), offsets.end(), packed.offset.begin() + slice.column);
  else // absent entries read the row's first column, times zero
    for (int e = 0; e < slice.width; ++e)
      for (int lane = 0; lane < lanes; ++lane)
        {
          const int row = std::min(first + lane, end - 1);
          column[static_cast<long>(e) * lanes + lane] =
            A.row_start[row] < A.row_start[row + 1] ? A.column[A.row_start[row]] : 0;
        }
  for (int row = first; row < end; ++row)
    for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      {
        const int lane = row - first;
        int       e    = static_cast<int>(k - A.row_start[row]);
        if (slice.diagonal)
          e = static_cast<int>(std::lower_bound(offsets.begin(), offsets.end(), A.column[k] - row) - offsets.begin());
        else
          column[static_cast<long>(e) * lanes + lane] = A.column[k];
        for (int m = 0; m < n_matrices; ++m)
          value[(static_cast<long>(e) * n_matrices + m) * lanes + lane] = matrices[m]->value[k];
      }
}
} // namespace

PackedMatrices pack(const Matrices &matrices, int lanes)
{
  const CSRMatrix<double> &A = *matrices[0];
  if (A.ghosts)
    return pack_parts(matrices, lanes, owned_block);
  PackedMatrices packed;
  packed.n_rows      = A.n_rows;
  packed.n_matrices  = static_cast<int>(matrices.size());
  packed.lanes       = lanes;
  const int n_slices = (A.n_rows + lanes - 1) / lanes;
  packed.slices.resize(n_slices);
#pragma omp parallel for schedule(static)
  for (int s = 0; s < n_slices; ++s)
    choose_columns(A, packed, s);
  place_slices(packed);
#pragma omp parallel for schedule(static)
  for (int s = 0; s < n_slices; ++s)
    fill_slice(matrices, packed, s);
  return packed;
}

PackedGhosts pack_ghosts(const Matrices &matrices, int lanes)
{
  const CSRMatrix<double> &A = *matrices[0];
  PackedGhosts             ghosts;
  ghosts.plan = A.ghosts;
  if (!A.ghosts)
    return ghosts;
  const int n_owned = A.ghosts->n_owned;
  for (int row = 0; row < A.n_rows; ++row) // columns ascend: ghosts come last
    if (const auto end = A.row_start[row + 1]; end > A.row_start[row] && A.column[end - 1] >= n_owned)
      ghosts.row.push_back(row);
  ghosts.entries =
    pack_parts(matrices, lanes, [&](const CSRMatrix<double> &matrix) { return ghost_rows(matrix, ghosts.row); });
  return ghosts;
}
} // namespace adamant
