#include "algebra/cuda_ghosts.cuh"

#include "algebra/cuda_sparse.cuh"

#include <algorithm>
#include <vector>

namespace adamant
{
namespace
{
// The entries of all rows in ghost columns, node by node.
struct NodeEntries
{
  std::vector<int>    nodes, start{0}, column;
  std::vector<double> value;
};

NodeEntries by_node(const CSRMatrix<double> &ghosts, int node_size)
{
  NodeEntries result;
  for (int first = 0; first < ghosts.n_rows; first += node_size)
    {
      const auto begin = ghosts.column.begin() + ghosts.row_start[first],
                 end   = ghosts.column.begin() + ghosts.row_start[first + node_size];
      if (begin == end)
        continue;
      std::vector<int> columns(begin, end);
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      result.nodes.push_back(first / node_size);
      result.column.insert(result.column.end(), columns.begin(), columns.end());
      result.value.resize(result.column.size() * node_size, 0.);
      for (int c = 0; c < node_size; ++c)
        for (int k = ghosts.row_start[first + c]; k < ghosts.row_start[first + c + 1]; ++k)
          {
            const auto place = std::lower_bound(columns.begin(), columns.end(), ghosts.column[k]) - columns.begin();
            result.value[(result.start.back() + place) * node_size + c] = ghosts.value[k];
          }
      result.start.push_back(to_index(result.column.size(), "columns of ghosts"));
    }
  return result;
}

// The rows that have ghosts, as a matrix.
CSRMatrix<double> listed_rows(const CSRMatrix<double> &ghosts, const std::vector<int> &nodes, int node_size)
{
  Array<int> start{0};
  for (const int node : nodes)
    for (int c = 1; c <= node_size; ++c)
      start.push_back(ghosts.row_start[node * node_size + c]);
  return {static_cast<int>(start.size()) - 1, ghosts.n_cols, std::move(start), ghosts.column, ghosts.value, {}};
}
} // namespace

template <typename Number>
CudaGhosts<Number>::CudaGhosts(const std::shared_ptr<CudaContext> &context, const CSRMatrix<double> &A, int node_size,
                               const std::shared_ptr<CudaExchange<Number>> &exchange)
  : exchange(exchange)
  , node_size(node_size)
{
  const CSRMatrix<double> ghosts  = ghost_block(A);
  const NodeEntries       entries = by_node(ghosts, node_size);
  if (4L * ghosts.n_nonzeros() > A.n_nonzeros())
    many = std::make_unique<CudaMatrix<Number>>(
      CudaBackend<Number>(context).create_matrix(listed_rows(ghosts, entries.nodes, node_size), node_size));
  n_nodes = static_cast<int>(entries.nodes.size());
  nodes   = cuda::to_device(context, entries.nodes.data(), entries.nodes.size(), "matrices");
  start   = cuda::to_device(context, entries.start.data(), entries.start.size(), "matrices");
  column  = cuda::to_device(context, entries.column.data(), entries.column.size(), "matrices");

  const std::vector<Number> values(entries.value.begin(), entries.value.end());
  value = cuda::to_device(context, values.data(), values.size(), "matrices");
  context->synchronize();
}

template struct CudaGhosts<double>;
template struct CudaGhosts<float>;
} // namespace adamant
