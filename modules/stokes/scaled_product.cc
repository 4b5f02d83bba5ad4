#include "stokes/scaled_product.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace adamant
{
CSRMatrix<double> with_identity_rows(const CSRMatrix<double> &A)
{
  auto K   = matrix_of_rows(A.n_rows, A.n_cols, [&](int i, Row &row) {
    for (EntryNumber k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      row.emplace_back(A.column[k], A.value[k]);
    if (row.empty())
      row.emplace_back(i, 1.);
  });
  K.ghosts = A.ghosts;
  return K;
}

NodeRows::NodeRows(const Device &device, const CSRMatrix<double> &matrix, int node_size)
  : size(node_size)
{
  const auto    nodes = matrix_of_rows(matrix.n_rows, matrix.n_cols / size, [&](int i, Row &row) {
    for (EntryNumber k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      if (row.empty() || row.back().first != matrix.column[k] / size)
        row.emplace_back(matrix.column[k] / size, 0.);
  });
  Array<double> values(nodes.column.size() * size, 0.);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < matrix.n_rows; ++i)
    for (EntryNumber k = matrix.row_start[i], at = nodes.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      {
        while (nodes.column[at] != matrix.column[k] / size)
          ++at;
        values[at * size + matrix.column[k] % size] = matrix.value[k];
      }
  start = List<EntryNumber>(device, nodes.row_start);
  node  = List<int>(device, nodes.column);
  value = List<double>(device, values);
}

ScaledProduct::ScaledProduct(const Device &device, const CSRMatrix<double> &A, const CSRMatrix<double> &At,
                             int node_size)
  : device(device)
  , A(device, A, node_size)
{
  if (A.n_cols != At.n_rows || A.n_rows != At.n_cols || A.ghosts || At.ghosts)
    throw RunError("scaled product: the matrices do not fit together, or are spread over ranks");
  auto product = with_identity_rows(local_product(A, At)); // its values are on the device
  std::fill(product.value.begin(), product.value.end(), std::numeric_limits<double>::quiet_NaN());
  host = std::make_shared<const CSRMatrix<double>>(std::move(product));
  K    = std::make_shared<CompressedRows>(device, *host);
  list_entries();
}

// Lists the entries on and above the diagonal, and where they are mirrored to.
void ScaledProduct::list_entries()
{
  const auto &pattern = *host;
  to_index(static_cast<std::size_t>(pattern.n_nonzeros()), "entries of a scaled product");
  Array<EntryNumber> starts;
  Array<int>         entries;
  const auto         fill = [&](int i, std::vector<int> &list) {
    for (EntryNumber k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      if (pattern.column[k] >= i)
        list.push_back(static_cast<int>(k));
  };
  make_lists<int>(
    pattern.n_rows, starts, fill, [&](std::size_t n) { entries.resize(n); },
    [&](std::size_t k, int number) { entries[k] = number; });
  Array<int> rows(entries.size()), mirrored(entries.size());
#pragma omp parallel for schedule(static)
  for (int i = 0; i < pattern.n_rows; ++i)
    for (EntryNumber k = starts[i]; k < starts[i + 1]; ++k)
      {
        const int  j   = pattern.column[entries[k]];
        const auto all = pattern.column.begin();
        rows[k]        = i;
        mirrored[k] =
          static_cast<int>(std::lower_bound(all + pattern.row_start[j], all + pattern.row_start[j + 1], i) - all);
      }
  entry  = List<int>(device, entries);
  row    = List<int>(device, rows);
  mirror = List<int>(device, mirrored);
}

void ScaledProduct::update(const Vector<double> &d)
{
  device.for_each(entry.size(), ScaledProductEntry{A.view(), d.data(), entry.data(), mirror.data(), row.data(),
                                                   K->view().column, K->values.data()});
}
} // namespace adamant
