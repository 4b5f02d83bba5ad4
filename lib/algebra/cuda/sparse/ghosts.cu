#include "algebra/cuda/sparse/ghosts.cuh"

#include "algebra/cuda/sparse/sparse.cuh"
#include "algebra/cuda/vectors/for_each.cuh"
#include "algebra/functors/vector_functors.h"

#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace adamant::cuda
{
namespace
{
// The entries of all rows in ghost columns, node by node, as GhostMatrix has them; their values as Value.
template <typename Number, typename Value>
class NodeEntries
{
public:
  NodeEntries(const CSRMatrix<double> &ghosts, int node_size, Value absent)
    : node_size(node_size)
    , rows(GhostMatrix<Number>::rows_stored(node_size))
    , stride(GhostMatrix<Number>::stride(rows))
    , absent(absent)
  {
    for (int first = 0; first < ghosts.n_rows; first += node_size)
      if (ghosts.row_start[first] < ghosts.row_start[first + node_size])
        {
          nodes.push_back(first / node_size);
          add_node(ghosts, first);
          start.push_back(to_index(blocks.size(), "blocks of ghosts"));
        }
  }

  const int               node_size, rows, stride;
  const Value             absent;
  std::vector<int>        nodes, start{0};
  std::vector<GhostBlock> blocks;
  std::vector<Value>      values;

private:
  // The node's columns, in blocks of node_size from the first that none has yet.
  void add_node(const CSRMatrix<double> &ghosts, int first)
  {
    const auto begin = ghosts.column.begin();
    columns.assign(begin + ghosts.row_start[first], begin + ghosts.row_start[first + node_size]);
    std::sort(columns.begin(), columns.end());
    std::vector<std::int64_t> place(ghosts.row_start.begin() + first, ghosts.row_start.begin() + first + node_size);
    for (auto column = columns.begin(); column != columns.end();)
      {
        const int behind = *column + node_size;
        blocks.push_back({*column, 0});
        values.resize(values.size() + stride, absent);
        for (int c = 0; c < node_size; ++c)
          for (auto &k = place[c]; k < ghosts.row_start[first + c + 1] && ghosts.column[k] < behind; ++k)
            values[values.size() - stride + (ghosts.column[k] - *column) * rows + c] =
              static_cast<Value>(ghosts.value[k]);
        blocks.back().values = keep_last();
        column               = std::lower_bound(column, columns.end(), behind);
      }
  }

  // The number of the block that ends the values, or of the one before that is equal: the last one is then dropped.
  int keep_last()
  {
    const int last           = to_index(values.size() / stride, "blocks of ghosts") - 1;
    const auto [place, kept] = known.insert(last);
    if (!kept)
      values.resize(values.size() - stride);
    return *place;
  }

  std::string_view bytes_of(int block) const
  {
    return {reinterpret_cast<const char *>(values.data() + static_cast<std::size_t>(block) * stride),
            stride * sizeof(Value)};
  }
  struct Hash
  {
    const NodeEntries *entries;
    std::size_t        operator()(int block) const { return std::hash<std::string_view>()(entries->bytes_of(block)); }
  };
  struct Equal
  {
    const NodeEntries *entries;
    bool               operator()(int a, int b) const { return entries->bytes_of(a) == entries->bytes_of(b); }
  };
  std::unordered_set<int, Hash, Equal> known{64, Hash{this}, Equal{this}};
  std::vector<int>                     columns;
};

// The rows that have ghosts, as a matrix.
CSRMatrix<double> listed_rows(const CSRMatrix<double> &ghosts, const std::vector<int> &nodes, int node_size)
{
  Array<std::int64_t> start{0};
  for (const int node : nodes)
    for (int c = 1; c <= node_size; ++c)
      start.push_back(ghosts.row_start[node * node_size + c]);
  return {static_cast<int>(start.size()) - 1, ghosts.n_cols, std::move(start), ghosts.column, ghosts.value, {}};
}

// The same pattern with the numbers of the entries as values.
CSRMatrix<double> numbered(CSRMatrix<double> A)
{
  A.value.resize(A.n_nonzeros());
  std::iota(A.value.begin(), A.value.end(), 0.);
  return A;
}
} // namespace

template <typename Number>
GhostMatrix<Number>::GhostMatrix(const std::shared_ptr<Context> &context, const CSRMatrix<double> &A, int node_size,
                                 const std::shared_ptr<Exchange<Number>> &exchange, bool compressed,
                                 const RowsView *changing)
  : exchange(exchange)
  , node_size(node_size)
{
  if (node_size > 8)
    throw RunError("a matrix of nodes of " + std::to_string(node_size) + " rows has ghosts; at most 8 can");
  const CSRMatrix<double> ghosts = ghost_block(changing == nullptr ? A : numbered(A));
  const auto upload = [&](const auto &from) { return to_device(*context, from.data(), from.size(), "matrices"); };
  const auto take   = [&](const auto &entries) {
    n_nodes     = static_cast<int>(entries.nodes.size());
    n_ghosts    = ghosts.n_cols;
    nodes       = upload(entries.nodes);
    start       = upload(entries.start);
    blocks      = upload(entries.blocks);
    auto values = upload(entries.values);
    context->synchronize();
    return values;
  };
  if (changing != nullptr)
    {
      places = take(NodeEntries<Number, int>(ghosts, node_size, -1));
      values = DeviceArray<Number>(context->memory_of_device(), places.size(), "matrices");
      take_values(*context, changing->value);
    }
  else
    {
      const NodeEntries<Number, Number> entries(ghosts, node_size, Number(0));
      values = take(entries);
      if (compressed && 4 * ghosts.n_nonzeros() > A.n_nonzeros())
        many =
          std::make_unique<SparseMatrix<Number>>(context, listed_rows(ghosts, entries.nodes, node_size), node_size);
    }
}

template <typename Number>
void GhostMatrix<Number>::take_values(const Context &context, const double *changing)
{
  for_each(context, static_cast<int>(places.size()), Gather<double, Number>{places.data(), changing, values.data()});
}

template struct GhostMatrix<double>;
template struct GhostMatrix<float>;
} // namespace adamant::cuda
