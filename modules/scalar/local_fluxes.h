#pragma once

#include "base/array.h"
#include "fem/spaces/level_space.h"
#include "scalar/scalar_boundaries.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/sparsity_pattern.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// A flux at a node of a boundary.
template <int dim>
struct NodalFlux
{
  dealii::Point<dim> point;
  double             flux;
};

/// The flux q = λ ∂_n u into the domain at the nodes of boundaries where u is prescribed, on the host. The residual r
/// of an equation without these conditions is ∮ q φ_i at their nodes. With the boundary's mass matrix M, M q = r.
///
/// At a node where such boundaries meet, r is the sum of their parts. Each part is ∮ λ ∂_n u_h φ_i of the discrete u.
/// What remains of r is shared in proportion to the parts of the boundaries in ∮ φ_i. All ranks call all functions
/// together.
template <int dim>
class LocalFluxes
{
public:
  LocalFluxes() = default;
  /// `space` is scalar and has no prescribed nodes; it has to outlive the object. `ids` are the boundaries of which
  /// fluxes are wanted. Throws InputError with `key` for a boundary where u is not prescribed.
  LocalFluxes(const std::string &key, const std::set<unsigned int> &ids, const LevelSpace<dim> &space,
              const dealii::Mapping<dim> &mapping, const ScalarBoundaries &boundaries, double diffusion);

  /// Returns the fluxes at the nodes of each boundary, from values of r and u at the own nodes. Nodes are in ascending
  /// order of their coordinates, and equal on all ranks.
  std::map<unsigned int, std::vector<NodalFlux<dim>>> operator()(const double *r, const double *u) const;

private:
  using Unknown = unsigned long; // the global number of a row
  struct Node
  {
    dealii::Point<dim>                      point;
    std::vector<std::pair<Unknown, double>> of_rows; // weights, of several rows for a hanging node
  };
  struct Boundary // of all ranks
  {
    std::map<Unknown, int>                         number;
    std::vector<double>                            sizes; // ∮ φ_i
    std::vector<Node>                              nodes;
    std::shared_ptr<const dealii::SparsityPattern> pattern;
    std::shared_ptr<dealii::SparseMatrix<double>>  mass;
  };
  struct Slope // the part `weight` u_dof of ∮ λ ∂_n u φ_row
  {
    unsigned int id;
    int          row, dof; // local numbers
    double       weight;
  };
  std::vector<double> integrate(unsigned int id, const dealii::Mapping<dim> &mapping, double diffusion);
  void make_boundary(unsigned int id, const std::vector<double> &entries, const dealii::Mapping<dim> &mapping);

  const LevelSpace<dim>           *space = nullptr;
  std::set<unsigned int>           wanted;
  std::map<unsigned int, Boundary> of;
  std::map<Unknown, double>        size;   // on all boundaries
  std::vector<Slope>               slopes; // of this rank's cells, for nodes where boundaries meet
};
} // namespace adamant
