#pragma once

#include "multigrid/smoothers/smoother.h"

#include <memory>
#include <vector>

namespace adamant
{
/// Multicolour Gauss-Seidel by nodes: S = (D + L)⁻¹ for the nodes in the order of their colours, D their diagonal
/// blocks and L the entries of A that couple a node to those of earlier colours. Nodes of one colour do not couple, and
/// are taken at once: for each colour in turn, x_i <- x_i + D_i⁻¹ (b - A x)_i. Transposed, the colours come in reverse
/// order. On several ranks each colours its own nodes; those at borders may couple to a node of their colour, which
/// then is taken as it was before.
template <typename Number>
class ColouredGaussSeidel : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit ColouredGaussSeidel(const SmootherLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override;
  bool    symmetric() const override { return false; }

private:
  // The rows of one colour's nodes as a matrix.
  struct Colour
  {
    Array<int>     nodes;
    List<int>      list; // the same on the device
    Matrix<Number> rows;
    bool           made = false; // `rows`, together with the other ranks, also where this one has no nodes
    // Where the values of A change on the device: those of these rows, and where they begin in A.
    std::unique_ptr<CompressedRows> changing;
    List<EntryNumber>               first;
  };

  void take_rows(Colour &colour);
  void sweep(const Vector &b, Vector &x, bool transposed) const;
  void take_colour(const Colour &colour, const Vector &b, Vector &x) const;

  SmootherLevel<Number> level;
  int                   node_size;
  std::vector<Colour>   colours;
  Vector                diagonal; // D⁻¹, see inverse_diagonal_blocks
};

/// Colours 0, 1, ... of the nodes of a matrix, node_size rows each, so that nodes which couple differ: each node in
/// turn takes the first colour that none of its neighbours before it has. Couplings count in both directions; other
/// ranks' nodes do not.
Array<int> colours_of_nodes(const CSRMatrix<double> &matrix, int node_size);
} // namespace adamant
