#include "stokes/scaled_product.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace adamant
{
CSRMatrix<double> with_identity_rows(const CSRMatrix<double> &A)
{
  CSRMatrix<double> K;
  K.n_rows = A.n_rows;
  K.n_cols = A.n_cols;
  K.ghosts = A.ghosts;
  K.row_start.resize(K.n_rows + 1);
  for (int i = 0; i < K.n_rows; ++i)
    K.row_start[i + 1] = std::max<EntryNumber>(A.row_start[i + 1] - A.row_start[i], 1);
  finish_row_starts(K);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < K.n_rows; ++i)
    {
      const auto begin = A.row_start[i], end = A.row_start[i + 1], to = K.row_start[i];
      K.column[to] = i;
      K.value[to]  = 1.;
      std::copy(A.column.begin() + begin, A.column.begin() + end, K.column.begin() + to);
      std::copy(A.value.begin() + begin, A.value.begin() + end, K.value.begin() + to);
    }
  return K;
}

NodeRows::NodeRows(const Device &device, const CSRMatrix<double> &matrix, int node_size)
  : size(node_size)
{
  // Calls action(k, first): the entry k is the first of its node in its row, or not.
  const auto for_each_entry = [&](int row, const auto &action) {
    for (EntryNumber k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k)
      action(k, k == matrix.row_start[row] || matrix.column[k] / size != matrix.column[k - 1] / size);
  };
  Array<EntryNumber> starts(matrix.n_rows + 1, 0);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < matrix.n_rows; ++i)
    for_each_entry(i, [&](EntryNumber, bool first) { starts[i + 1] += first; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  Array<int>    nodes(starts.back());
  Array<double> values(starts.back() * size);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < matrix.n_rows; ++i)
    {
      EntryNumber next = starts[i];
      for_each_entry(i, [&](EntryNumber k, bool first) {
        if (first)
          {
            nodes[next] = matrix.column[k] / size;
            std::fill_n(values.begin() + next * size, size, 0.);
            ++next;
          }
        values[(next - 1) * size + matrix.column[k] % size] = matrix.value[k];
      });
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

// Those on and above the diagonal, and where they are mirrored to.
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
          const auto begin = pattern.column.begin() + pattern.row_start[j],
                     end   = pattern.column.begin() + pattern.row_start[j + 1];
          list.push_back(
                    {static_cast<int>(k), i, static_cast<int>(std::lower_bound(begin, end, i) - pattern.column.begin())});
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
