#include "multigrid/smoothers/setup.h"
#include "multigrid/smoothers/update_functors.h"

#include <algorithm>
#include <utility>

namespace adamant
{
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

namespace
{
// The rows of these nodes.
CSRMatrix<double> rows_of(const CSRMatrix<double> &A, const Array<int> &nodes, int node_size)
{
  const auto fill = [&](int i, Row &row) {
    const int of_A = nodes[i / node_size] * node_size + i % node_size;
    for (auto k = A.row_start[of_A]; k < A.row_start[of_A + 1]; ++k)
      row.emplace_back(A.column[k], A.value.empty() ? 0. : A.value[k]);
  };
  auto part   = matrix_of_rows(static_cast<int>(nodes.size()) * node_size, A.n_cols, fill);
  part.ghosts = A.ghosts;
  return part;
}
// Multicolour Gauss-Seidel by nodes: S = (D + L)⁻¹ for the nodes in the order of their colours. D holds the diagonal
// blocks of the nodes, and L the entries of A that couple a node to nodes of earlier colours. Nodes of one colour do
// not couple, so that a sweep updates them at once: for each colour in turn, x_i <- x_i + D_i⁻¹ (b - A x)_i. With
// `transposed`, the colours come in reverse order. On several ranks, each rank colours its own nodes. A node at a
// border may couple to a node of its own colour on another rank, whose old value it then takes.
template <typename Number>
class ColouredGaussSeidel : public Sweep<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit ColouredGaussSeidel(const DeviceLevel<Number> &level)
    : level(level)
    , node_size(level.A.node_size())
  {
    const Array<int> colour = colours_of_nodes(level.matrix(), node_size);
    double           n      = colour.empty() ? 0 : 1 + *std::max_element(colour.begin(), colour.end());
    level.device.communicator().max(&n, 1); // all ranks exchange for each colour
    colours.resize(static_cast<std::size_t>(n));
    for (std::size_t node = 0; node < colour.size(); ++node)
      colours[colour[node]].nodes.push_back(static_cast<int>(node));
    for (auto &c : colours)
      c.list = List<int>(level.device, c.nodes);
    update();
  }
  void update() final
  {
    for (auto &c : colours)
      take_values(c);
    update_inverse_diagonal(level, node_size, diagonal);
  }

private:
  // The nodes of one colour, and their rows as a matrix.
  struct Colour
  {
    Array<int>     nodes;
    List<int>      list; // the nodes in device memory
    Matrix<Number> rows;
    bool           made = false; // whether `rows` exists: all ranks make it together, also a rank without such nodes
    // The values of these rows and where they begin in A, if the values of A change on the device.
    std::unique_ptr<CompressedRows> changing;
    List<EntryNumber>               first;
  };

  void take_values(Colour &c) const
  {
    const bool        made = std::exchange(c.made, true);
    CSRMatrix<double> rows;
    if (!made || !level.changing())
      rows = rows_of(level.matrix(), c.nodes, node_size);
    if (level.changing() && !made)
      {
        Array<EntryNumber> first;
        for (int k = 0; k < rows.n_rows; ++k)
          first.push_back(level.matrix().row_start[c.nodes[k / node_size] * node_size + k % node_size]);
        c.first    = List<EntryNumber>(level.device, first);
        c.changing = std::make_unique<CompressedRows>(level.device, rows);
      }
    if (level.changing())
      level.device.for_each(c.first.size(), CopyRows{c.first.data(), level.changing()->values.data(),
                                                     c.changing->view(), c.changing->values.data()});
    take_rows(level.device, made, rows, c.changing.get(), node_size, c.rows);
  }

  void sweep(const Vector &b, Vector &x, bool transposed) const override
  {
    const JacobiUpdate<Number> update{Number(0), Number(1), diagonal.data(), b.data(),
                                      x.data(),  nullptr,   nullptr,         x.data()};
    for (std::size_t k = 0; k < colours.size(); ++k)
      {
        const Colour &colour = colours[transposed ? colours.size() - 1 - k : k];
        if (node_size == 1)
          level.device.for_each_row(colour.rows, x, JacobiStep<Number>(update), colour.list);
        else
          level.device.for_each_row(colour.rows, x, NodeJacobiStep<Number>(node_size, x.size() / node_size, update),
                                    colour.list);
      }
  }

  DeviceLevel<Number> level;
  int                 node_size;
  std::vector<Colour> colours;
  Vector              diagonal; // D⁻¹, see inverse_diagonal_blocks
};
} // namespace

SmootherKind gauss_seidel_kind()
{
  return made_as<ColouredGaussSeidel>(
    {"gauss_seidel", "a sweep over the nodes, colour by colour (damping 1 is usual)"});
}
} // namespace adamant
