#pragma once

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/run_record.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

/// The equation as matrices, in host memory.
namespace poisson
{
using adamant::Array;
using adamant::CSRMatrix;
using Matrices = std::vector<std::shared_ptr<const CSRMatrix<double>>>;

inline Array<int> all_numbers(int n)
{
  Array<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

struct Levels
{
  std::vector<adamant::LevelData> free;     ///< of the unknowns, nodes neither prescribed nor hanging; coarsest first
  Array<int>                      unknowns; ///< numbers of the unknowns among the nodes of the finest level
  CSRMatrix<double>               mass;     ///< from values at all nodes to unknowns
  CSRMatrix<double>               lift;     ///< the part of A from prescribed values to unknowns
  Array<double>                   points;   ///< all nodes: coordinate d of node i is points[d n_nodes + i]
  bool                            singular = false; ///< whether no value is prescribed
  std::size_t                     n_cells  = 0;
  double                          aspect   = 1.; ///< the longest over the shortest edge of a cell

  /// For the Schur complement: the matrix of all nodes, without boundary conditions, and prolongations from each level
  /// to the next.
  std::shared_ptr<const CSRMatrix<double>> matrix;
  Matrices                                 prolongations;

  int n() const { return free.back().n_rows(); }

  void add_to(adamant::RunRecord &record) const ///< adds the sizes
  {
    record["dofs"]  = n();
    record["cells"] = n_cells;
    if (aspect > 1.)
      record["aspect_ratio"] = aspect; // of a cell
    record["levels"] = adamant::RunRecord::array();
    for (const auto &level : free)
      record["levels"].push_back({{"dofs", level.n_rows()}, {"nonzeros", level.matrix()->n_nonzeros()}});
  }

  /// Adds one level with these unknowns, a subset of the rows of A and P.
  void add(const CSRMatrix<double> &A, const CSRMatrix<double> *P, const Array<int> &its_unknowns)
  {
    adamant::require(!its_unknowns.empty(), "Mesh: level ", free.size(),
                     " has no unknown; there are too few refinements, or Solver/Coarsest level cells is too small");
    adamant::LevelData level;
    level.values = std::make_shared<CSRMatrix<double>>(submatrix(A, its_unknowns, its_unknowns));
    if (P != nullptr)
      {
        const auto prolongation = std::make_shared<CSRMatrix<double>>(submatrix(*P, its_unknowns, unknowns));
        level.restriction       = std::make_shared<CSRMatrix<double>>(transpose(*prolongation));
        level.prolongation      = prolongation;
      }
    free.push_back(level);
    unknowns = its_unknowns;
  }
};

/// Q1 elements on a mesh of deal.II; u is prescribed on all boundaries except the natural ones.
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

  /// Returns the levels; `whole` adds the data of the Schur complement.
  Levels                          make_levels(bool whole) const;
  const adamant::LevelSpace<dim> &nodes() const { return field.finest(); }

private:
  using Field   = adamant::Field<dim>;
  using Context = adamant::CellContext<dim>;

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
  adamant::Form<dim> stiffness(const Field &u, adamant::Levels on) const
  {
    return stiffness(u, adamant::unknowns(u), on);
  }
  adamant::Form<dim> stiffness(const Field &u, const adamant::Columns<dim> &columns, adamant::Levels on) const
  {
    return {"A",
            u,
            columns,
            mapping,
            quadrature,
            dealii::update_gradients | dealii::update_JxW_values,
            [](const Context &cell, auto &local) {
              for (const unsigned int q : cell.quadrature_point_indices())
                for (const unsigned int i : cell.dof_indices())
                  for (const unsigned int j : cell.dof_indices())
                    local(i, j) += cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
            },
            on};
  }
  adamant::Form<dim> mass() const
  {
    return {"M",
            field,
            nodal_values(field),
            mapping,
            quadrature,
            dealii::update_values | dealii::update_JxW_values,
            [](const Context &cell, auto &local) {
              for (const unsigned int q : cell.quadrature_point_indices())
                for (const unsigned int i : cell.dof_indices())
                  for (const unsigned int j : cell.dof_indices())
                    local(i, j) += cell.value(i, q) * cell.value(j, q) * cell.JxW(q);
            }};
  }

  const dealii::Mapping<dim> &mapping;
  dealii::FE_Q<dim>           fe;
  dealii::QGauss<dim>         quadrature;
  adamant::LevelMeshes<dim>   meshes;
  Field                       field;
};

template <int dim>
Levels Space<dim>::make_levels(bool whole) const
{
  auto A = stiffness(field, adamant::Levels::all);
  auto M = mass();
  A.update();
  M.update();
  Levels levels;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    levels.add(*A.matrix(l), l > 0 ? field.prolongation(l).get() : nullptr, unknowns(field.space(l)));
  if (!nodes().prescribed.empty())
    {
      auto C = stiffness(field, prescribed_values(field), adamant::Levels::finest);
      C.update();
      levels.lift = submatrix(*C.finest(), levels.unknowns, all_numbers(C.finest()->n_cols));
    }
  levels.mass     = submatrix(*M.finest(), levels.unknowns, all_numbers(M.finest()->n_cols));
  levels.points   = adamant::support_points(nodes(), mapping);
  levels.singular = nodes().prescribed.empty();
  levels.n_cells  = nodes().n_cells();
  for (const auto &cell : nodes().active_cells())
    {
      double shortest = cell->extent_in_direction(0), longest = shortest;
      for (unsigned int d = 1; d < dim; ++d)
        {
          shortest = std::min(shortest, cell->extent_in_direction(d));
          longest  = std::max(longest, cell->extent_in_direction(d));
        }
      levels.aspect = std::max(levels.aspect, longest / shortest);
    }
  if (!whole)
    return levels;
  const Field all(meshes, "u", fe);
  auto        A_of_all = stiffness(all, adamant::Levels::finest);
  A_of_all.update();
  levels.matrix = A_of_all.finest();
  for (std::size_t l = 1; l < all.n_levels(); ++l)
    levels.prolongations.push_back(all.prolongation(l));
  return levels;
}
} // namespace poisson
