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
  Array<EntryNumber> starts;
  Array<int>         nodes;
  const auto         fill = [&](int i, std::vector<int> &list) {
    for (EntryNumber k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      if (list.empty() || list.back() != matrix.column[k] / size)
        list.push_back(matrix.column[k] / size);
  };
  make_lists<int>(
    matrix.n_rows, starts, fill, [&](std::size_t n) { nodes.resize(n); },
    [&](std::size_t k, int number) { nodes[k] = number; });
  Array<double> values(nodes.size() * size, 0.);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < matrix.n_rows; ++i)
    for (EntryNumber k = matrix.row_start[i], at = starts[i]; k < matrix.row_start[i + 1]; ++k)
      {
        while (nodes[at] != matrix.column[k] / size)
          ++at;
        values[at * size + matrix.column[k] % size] = matrix.value[k];
      }
  start = List<EntryNumber>(device, starts);
  node  = List<int>(device, nodes);
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
  struct Listed
  {
    int entry, row, mirror;
  };
  const auto &pattern = *host;
  to_index(static_cast<std::size_t>(pattern.n_nonzeros()), "entries of a scaled product");
  Array<EntryNumber> starts;
  Array<int>         entries, rows, mirrored;
  const auto         fill = [&](int i, std::vector<Listed> &list) {
    for (EntryNumber k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      if (const int j = pattern.column[k]; j >= i)
        {
          const auto column = pattern.column.begin();
          const auto below = std::lower_bound(column + pattern.row_start[j], column + pattern.row_start[j + 1], i);
          list.push_back({static_cast<int>(k), i, static_cast<int>(below - column)});
        }
  };
  const auto resize = [&](std::size_t n) {
    for (auto *list : {&entries, &rows, &mirrored})
      list->resize(n);
  };
  make_lists<Listed>(pattern.n_rows, starts, fill, resize, [&](std::size_t k, const Listed &listed) {
    entries[k]  = listed.entry;
    rows[k]     = listed.row;
    mirrored[k] = listed.mirror;
  });
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
