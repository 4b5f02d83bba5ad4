#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/array.h"
#include "fem/spaces/level_space.h"
#include "scalar/scalar_kernels.h"

#include <deal.II/fe/mapping.h>

#include <set>

namespace adamant
{
/// The quadrature points on those faces of a level that belong to some boundaries, and matrices for values there. The
/// element is scalar. All ranks call all functions together.
template <int dim>
class BoundaryFaces
{
public:
  BoundaryFaces() = default;
  /// Finds the faces of the boundaries `ids`.
  BoundaryFaces(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const std::set<unsigned int> &ids);

  int                        n_points() const { return static_cast<int>(boundary.size()); } ///< of this rank
  const Array<double>       &points() const { return places; }       ///< coordinate d of point i: [d n_points() + i]
  const Array<unsigned int> &boundaries() const { return boundary; } ///< the id of the boundary of each point

  /// Returns the matrix L of the load: L q has the integrals ∫_Γ q φ_i for the unknowns i.
  Matrix<double> load() const;
  /// Returns the matrix that evaluates values at the local DoFs of the space at the points.
  Matrix<double> evaluation() const;

  /// Computes the matrices ∫_Γ α φ_a φ_b of the cells that have such faces. `alpha` has values at the points.
  void integrate(const Vector<double> &alpha);
  /// Returns the result of the last integrate().
  FaceMatricesView matrices() const { return {n_matrices > 0 ? number.data() : nullptr, entries.data(), per_cell}; }

private:
  void make_integrals(const Array<int> &number_of_cell);

  Device                 device;
  const LevelSpace<dim> *space    = nullptr;
  int                    per_cell = 0, n_matrices = 0;
  Array<double>          places;
  Array<unsigned int>    boundary;
  Array<int>             cell;       // of each point
  Array<double>          shape, JxW; // shape function i at point k: shape[k per_cell + i]
  List<int>              number;     // of each cell's matrix, or -1
  Matrix<double>         integrals;  // of `alpha`, for all entries of all matrices
  Vector<double>         entries;
};
} // namespace adamant
