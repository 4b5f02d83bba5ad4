#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <map>
#include <set>
#include <vector>

namespace adamant
{
/// The resultant of forces, and their moment about the origin: (0, 0, M) in two dimensions.
struct Resultant
{
  dealii::Tensor<1, 3> force, moment;
};

/// What holds a body on its boundaries: the forces at its nodes in the directions that are prescribed there. They are
/// what stresses and inertia need beside the loads. A node that hangs on others passes its forces on to them, so that
/// all reactions and loads are in balance, and so are their moments. Boundaries that hold a node in the same direction
/// share its force. All ranks call all functions together.
template <int dim>
class Reactions
{
public:
  /// `held` is what the space prescribes on boundaries, and `load` are loads on all DoFs. `space` has to outlive the
  /// object.
  Reactions(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
            const DirichletBoundary &held, const Array<double> &load);

  /// Returns the resultant of the reactions of each boundary that is held, under factor times the load; waits. The
  /// force that deforms a cell at its DoF i is at [cell n + i]. Moments belong to the nodes' places in the deformed
  /// body, whose displacement is u. Only values at the nodes on these boundaries come to the host.
  std::map<unsigned int, Resultant> resultants(const Vector<double> &forces_of_cells, double factor,
                                               const Vector<double> &u) const;

private:
  struct Share // of the force at a node
  {
    unsigned int           boundary;
    int                    first; // DoF of the node
    dealii::Tensor<2, dim> of;
    dealii::Tensor<1, dim> load, place; // place: at rest
  };

  const Device           device;
  const LevelSpace<dim> &space;
  std::set<unsigned int> boundaries;
  std::vector<Share>     shares;
  List<int>              dofs;   // of the shares' nodes, one after the other
  Matrix<double>         E;      // forces of cells to these nodes, which do not hang
  Scalars                values; // forces at these nodes, then u
};
} // namespace adamant
