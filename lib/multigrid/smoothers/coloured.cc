#include "multigrid/smoothers/coloured.h"

#include "multigrid/smoothers/setup.h"
#include "multigrid/smoothers/update_functors.h"

#include <algorithm>
#include <utility>

namespace adamant
{
namespace
{
// The rows of these nodes.
CSRMatrix<double> rows_of(const CSRMatrix<double> &A, const Array<int> &nodes, int node_size)
{
  CSRMatrix<double> part;
  part.n_rows = static_cast<int>(nodes.size()) * node_size;
  part.n_cols = A.n_cols;
  part.ghosts = A.ghosts;
  part.row_start.resize(part.n_rows + 1);
  part.row_start[0] = 0;
  const auto row_of = [&](int k) { return nodes[k / node_size] * node_size + k % node_size; };
  for (int k = 0; k < part.n_rows; ++k)
    part.row_start[k + 1] = A.row_start[row_of(k) + 1] - A.row_start[row_of(k)];
  finish_row_starts(part);
#pragma omp parallel for schedule(static)
  for (int k = 0; k < part.n_rows; ++k)
    {
      const auto begin = A.row_start[row_of(k)], n = A.row_start[row_of(k) + 1] - begin, to = part.row_start[k];
      std::copy_n(A.column.begin() + begin, n, part.column.begin() + to);
      if (!A.value.empty())
        std::copy_n(A.value.begin() + begin, n, part.value.begin() + to);
    }
  return part;
}
} // namespace

Array<int> colours_of_nodes(const CSRMatrix<double> &A, int node_size)
{
  const int               n_nodes    = A.n_rows / node_size;
  const CSRMatrix<double> transposed = transpose(A.ghosts ? owned_block(A) : A);
  Array<int>              colour(n_nodes, -1);
  std::vector<int>        last_node; // that met a colour
  const auto              meet = [&](const CSRMatrix<double> &matrix, int node) {
    for (auto k = matrix.row_start[node * node_size]; k < matrix.row_start[(node + 1) * node_size]; ++k)
      if (const int other = matrix.column[k] / node_size; other < n_nodes && other != node && colour[other] >= 0)
        last_node[colour[other]] = node;
  };
  for (int node = 0; node < n_nodes; ++node)
    {
      meet(A, node);
      meet(transposed, node);
      const auto unmet = std::find_if(last_node.begin(), last_node.end(), [node](int last) { return last != node; });
      colour[node]     = static_cast<int>(unmet - last_node.begin());
      if (unmet == last_node.end())
        last_node.push_back(-1);
    }
  return colour;
}

template <typename Number>
ColouredGaussSeidel<Number>::ColouredGaussSeidel(const DeviceLevel<Number> &level)
  : level(level)
  , node_size(level.A.node_size())
{
  const Array<int> colour = colours_of_nodes(*level.matrix(), node_size);
  double           n      = colour.empty() ? 0 : 1 + *std::max_element(colour.begin(), colour.end());
  level.device.communicator().max(&n, 1); // all ranks exchange for each colour
  colours.resize(static_cast<std::size_t>(n));
  for (std::size_t node = 0; node < colour.size(); ++node)
    colours[colour[node]].nodes.push_back(static_cast<int>(node));
  for (auto &c : colours)
    {
      c.list = List<int>(level.device, c.nodes);
      take_rows(c);
    }
  update_inverse_diagonal(level, node_size, diagonal);
}

template <typename Number>
void ColouredGaussSeidel<Number>::update()
{
  for (auto &c : colours)
    take_rows(c);
  update_inverse_diagonal(level, node_size, diagonal);
}

// Takes over the values that the matrix has now.
template <typename Number>
void ColouredGaussSeidel<Number>::take_rows(Colour &c)
{
  const bool made = std::exchange(c.made, true);
  if (!level.changing())
    {
      const auto rows = rows_of(*level.matrix(), c.nodes, node_size);
      return made ? c.rows.update(rows) : void(c.rows = Matrix<Number>(level.device, rows, node_size));
    }
  CSRMatrix<double> rows;
  if (!made)
    {
      rows = rows_of(*level.matrix(), c.nodes, node_size);
      Array<EntryNumber> first;
      for (int k = 0; k < rows.n_rows; ++k)
        first.push_back(level.matrix()->row_start[c.nodes[k / node_size] * node_size + k % node_size]);
      c.first    = List<EntryNumber>(level.device, first);
      c.changing = std::make_unique<CompressedRows>(level.device, rows);
    }
  level.device.for_each(c.first.size(), CopyRows{c.first.data(), level.changing()->values.data(), c.changing->view(),
                                                 c.changing->values.data()});
  if (made)
    c.rows.update(*c.changing);
  else
    c.rows = Matrix<Number>(level.device, rows, *c.changing, node_size);
}

template <typename Number>
void ColouredGaussSeidel<Number>::take_colour(const Colour &colour, const Vector &b, Vector &x) const
{
  const JacobiUpdate<Number> update(Number(0), Number(1), diagonal.data(), b.data(), x.data(), nullptr, nullptr,
                                    x.data());
  if (node_size == 1)
    level.device.for_each_row(colour.rows, x, JacobiStep<Number>(update), colour.list);
  else
    level.device.for_each_row(colour.rows, x, NodeJacobiStep<Number>(node_size, x.size() / node_size, update),
                              colour.list);
}

template <typename Number>
void ColouredGaussSeidel<Number>::sweep(const Vector &b, Vector &x, bool transposed) const
{
  const std::size_t n = colours.size();
  for (std::size_t k = 0; k < n; ++k)
    take_colour(colours[transposed ? n - 1 - k : k], b, x);
}

template class ColouredGaussSeidel<double>;
template class ColouredGaussSeidel<float>;
} // namespace adamant
