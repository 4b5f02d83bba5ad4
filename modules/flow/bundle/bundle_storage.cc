#include "flow/bundle/bundle_storage.h"

#include <algorithm>

namespace adamant
{
namespace
{
using Matrices = std::vector<const CSRMatrix<double> *>;

// PackedMatrices in host memory, while they are filled, less their values.
struct Packed
{
  int                          n_matrices, lanes;
  Array<PackedMatrices::Slice> slices;
  Array<int>                   offset, column;
  std::size_t                  n_values = 0;
};

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
void choose_columns(const CSRMatrix<double> &A, Packed &packed, int s)
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
void place_slices(Packed &packed)
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
  packed.n_values = static_cast<std::size_t>(n_values) * packed.n_matrices * packed.lanes;
}

// The columns and values of slice s.
void fill_slice(const Matrices &matrices, Packed &packed, double *values, int s)
{
  const CSRMatrix<double> &A     = *matrices[0];
  const int                lanes = packed.lanes, n_matrices = packed.n_matrices;
  const auto              &slice = packed.slices[s];
  const int                first = s * lanes, end = std::min(A.n_rows, first + lanes);
  double                  *value  = values + slice.value * n_matrices * lanes;
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

PackedMatrices pack(const Device &device, const Matrices &matrices, int lanes)
{
  const CSRMatrix<double> &A        = *matrices[0];
  const int                n_slices = (A.n_rows + lanes - 1) / lanes;
  Packed packed{static_cast<int>(matrices.size()), lanes, Array<PackedMatrices::Slice>(n_slices), {}, {}};
#pragma omp parallel for schedule(static)
  for (int s = 0; s < n_slices; ++s)
    choose_columns(A, packed, s);
  place_slices(packed);
  // The values are most of it: on the host they are filled where they stay.
  List<double>  value(device, packed.n_values, "matrices");
  Array<double> to_upload(device.traits().separate_memory ? packed.n_values : 0);
#pragma omp parallel for schedule(static)
  for (int s = 0; s < n_slices; ++s)
    fill_slice(matrices, packed, device.traits().separate_memory ? to_upload.data() : value.data(), s);
  if (device.traits().separate_memory)
    device.interface().upload(value.data(), to_upload.data(), value.bytes());
  return {A.n_rows,
          {device, packed.slices, "matrices"},
          {device, packed.offset, "matrices"},
          {device, packed.column, "matrices"},
          value};
}

// Packs the matrices that `part` makes of these.
template <typename Part>
PackedMatrices pack_parts(const Device &device, const Matrices &matrices, int lanes, const Part &part)
{
  std::vector<CSRMatrix<double>> parts;
  for (const auto *matrix : matrices)
    parts.push_back(part(*matrix));
  Matrices pointers;
  for (const auto &matrix : parts)
    pointers.push_back(&matrix);
  return pack(device, pointers, lanes);
}

PackedGhosts pack_ghosts(const Device &device, const Matrices &matrices, int lanes)
{
  const CSRMatrix<double> &A = *matrices[0];
  Array<int>               rows;
  if (!A.ghosts)
    return {};
  for (int row = 0; row < A.n_rows; ++row) // columns ascend: ghosts come last
    if (const auto end = A.row_start[row + 1]; end > A.row_start[row] && A.column[end - 1] >= A.ghosts->n_owned)
      rows.push_back(row);
  return {
    A.ghosts, {device, rows, "matrices"}, pack_parts(device, matrices, lanes, [&](const CSRMatrix<double> &matrix) {
      return ghost_rows(matrix, rows);
    })};
}
} // namespace

BundleStorage::BundleStorage(const Device &device, const Matrices &matrices, int lanes, int n_values)
  : n_rows(matrices[0]->n_rows)
  , n_matrices(static_cast<int>(matrices.size()))
  , n_values(n_values)
  , owned(matrices[0]->ghosts ? pack_parts(device, matrices, lanes, owned_block) : pack(device, matrices, lanes))
  , ghosts(pack_ghosts(device, matrices, lanes))
{}
} // namespace adamant
