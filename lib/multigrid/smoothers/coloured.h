#pragma once

#include "multigrid/smoothers/sweep.h"

#include <memory>
#include <vector>

namespace adamant
{
/// Multicolour Gauss-Seidel by nodes: S = (D + L)⁻¹ for the nodes in the order of their colours. D holds the diagonal
/// blocks of the nodes, and L the entries of A that couple a node to nodes of earlier colours. Nodes of one colour do
/// not couple, so that a sweep updates them at once: for each colour in turn, x_i <- x_i + D_i⁻¹ (b - A x)_i. With
/// `transposed`, the colours come in reverse order. On several ranks, each rank colours its own nodes. A node at a
/// border may couple to a node of its own colour on another rank, whose old value it then takes.
template <typename Number>
class ColouredGaussSeidel : public Sweep<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit ColouredGaussSeidel(const DeviceLevel<Number> &level);

  void update() override;

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

  void take_rows(Colour &colour);
  void sweep(const Vector &b, Vector &x, bool transposed) const override;
  void take_colour(const Colour &colour, const Vector &b, Vector &x) const;

  DeviceLevel<Number> level;
  int                 node_size;
  std::vector<Colour> colours;
  Vector              diagonal; // D⁻¹, see inverse_diagonal_blocks
};

/// Returns the colours 0, 1, ... of the nodes of a matrix, which have node_size rows each. Nodes that couple have
/// different colours: each node in turn takes the first colour that none of its earlier neighbours has. An entry in
/// either direction is a coupling; nodes of other ranks do not count.
Array<int> colours_of_nodes(const CSRMatrix<double> &matrix, int node_size);
} // namespace adamant
