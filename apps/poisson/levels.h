#pragma once

#include "base/csr_submatrix.h"
#include "base/require.h"
#include "discretization/fields/points.h"
#include "discretization/forms/form.h"
#include "multigrid/level_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

/// The equation as matrices, in host memory.
namespace poisson
{
using adamant::Array;
using adamant::CSRMatrix;

struct Levels
{
  std::vector<adamant::LevelData> free;     ///< of the unknowns that are neither prescribed nor hanging, coarsest first
  Array<int>                      unknowns; ///< their numbers among the nodes of the finest level
  CSRMatrix<double>               mass;     ///< from values at all nodes to unknowns
  bool                            singular = false; ///< without prescribed values
  std::size_t                     n_cells  = 0;

  int n() const { return free.back().matrix->n_rows; }
};

inline Array<int> all_numbers(int n)
{
  Array<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// One more level with the given unknowns, a subset of the rows of A and P.
inline void add_level(const CSRMatrix<double> &A, const CSRMatrix<double> *P, const Array<int> &unknowns,
                      const Array<int> &coarser_unknowns, std::vector<adamant::LevelData> &levels)
{
  adamant::LevelData level;
  level.matrix = std::make_shared<CSRMatrix<double>>(submatrix(A, unknowns, unknowns));
  if (P != nullptr)
    {
      const auto prolongation = std::make_shared<CSRMatrix<double>>(submatrix(*P, unknowns, coarser_unknowns));
      level.restriction       = std::make_shared<CSRMatrix<double>>(transpose(*prolongation));
      level.prolongation      = prolongation;
    }
  levels.push_back(level);
}

/// Q1 elements on a mesh of deal.II: u = 0 on all boundaries but the natural ones.
template <int dim>
class Space
{
public:
  Space(dealii::Triangulation<dim> &mesh, const dealii::Mapping<dim> &mapping, const std::set<unsigned int> &natural,
        unsigned int coarsest_cells)
    : mapping(mapping)
    , fe(1)
    , quadrature(2)
    , meshes(mesh, {coarsest_cells})
    , field(meshes, "u", fe, prescribed(mesh, natural))
  {}

  Levels                          make_levels() const;
  const adamant::LevelSpace<dim> &nodes() const { return field.finest(); }

private:
  static adamant::DirichletBoundary prescribed(const dealii::Triangulation<dim> &mesh,
                                               const std::set<unsigned int>     &natural)
  {
    adamant::DirichletBoundary boundary;
    for (const auto id : mesh.get_boundary_ids())
      if (natural.count(id) == 0)
        boundary[id] = {};
    return boundary;
  }
  static Array<int> unknowns(const adamant::LevelSpace<dim> &space)
  {
    Array<int> numbers;
    for (int i = 0; i < space.n_dofs(); ++i)
      if (space.is_free(i))
        numbers.push_back(i);
    return numbers;
  }

  const dealii::Mapping<dim> &mapping;
  dealii::FE_Q<dim>           fe;
  dealii::QGauss<dim>         quadrature;
  adamant::LevelMeshes<dim>   meshes;
  adamant::Field<dim>         field;
};

template <int dim>
Levels Space<dim>::make_levels() const
{
  using Context      = adamant::CellContext<dim>;
  const auto flags   = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;
  const auto product = [](const Context &cell, auto &local, const auto &integrand) {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          local(i, j) += integrand(i, j, q) * cell.JxW(q);
  };
  adamant::Form<dim> A(
    "A", field, adamant::unknowns(field), mapping, quadrature, flags,
    [&](const Context &cell, auto &local) {
      product(cell, local, [&](unsigned int i, unsigned int j, unsigned int q) {
        return cell.gradient(i, q) * cell.gradient(j, q);
      });
    },
    adamant::Levels::all);
  adamant::Form<dim> M(
    "M", field, nodal_values(field), mapping, quadrature, flags, [&](const Context &cell, auto &local) {
      product(cell, local,
              [&](unsigned int i, unsigned int j, unsigned int q) { return cell.value(i, q) * cell.value(j, q); });
    });
  A.update();
  M.update();
  Levels     levels;
  Array<int> coarser;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      levels.unknowns = unknowns(field.space(l));
      adamant::require(!levels.unknowns.empty(), "Mesh: level ", l,
                       " has no unknown; Solver/Coarsest level cells may be "
                       "too small, or there are too few refinements");
      add_level(*A.matrix(l), l > 0 ? field.prolongation(l).get() : nullptr, levels.unknowns, coarser, levels.free);
      coarser = levels.unknowns;
    }
  levels.mass     = submatrix(*M.finest(), levels.unknowns, all_numbers(M.finest()->n_cols));
  levels.singular = nodes().prescribed.empty();
  levels.n_cells  = nodes().n_cells();
  return levels;
}
} // namespace poisson
