#pragma once

#include "parameters.h"

#include "base/csr/csr_operations.h"
#include "base/run_record.h"
#include "coefficients/level_points.h"
#include "direct/hierarchical_basis.h"
#include "fem/forms/cell_loop.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"
#include "frame/unknown.h"
#include "operators/level_data.h"
#include "tensor/tensor_product.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

/// The equation as matrices, in host memory.
namespace poisson
{
using adamant::Array;
using adamant::CSRMatrix;
using Matrices = std::vector<adamant::SharedMatrix>;

struct Levels
{
  std::vector<adamant::LevelData> free;     ///< of the unknowns, nodes neither prescribed nor hanging; coarsest first
  Array<int>                      unknowns; ///< numbers of the unknowns among the nodes of the finest level
  CSRMatrix<double>               mass;     ///< from values at `points` to unknowns
  CSRMatrix<double>               lift;     ///< the part of A from prescribed values to unknowns
  Array<double>                   g;        ///< prescribed values; empty: they are zero
  Array<double>                   points;   ///< all nodes, or quadrature points: coordinate d of i is points[d n + i]
  Array<unsigned int>             material; ///< of these points; empty: the source is one function
  bool                            singular = false; ///< whether no value is prescribed
  std::size_t                     n_cells  = 0;
  double                          aspect   = 1.; ///< the longest over the shortest edge of a cell

  /// For the Schur complement: the matrix of all nodes, without boundary conditions, and prolongations from each level
  /// to the next.
  adamant::SharedMatrix matrix;
  Matrices              prolongations;

  int n() const { return free.back().n_rows(); }

  void add_to(adamant::RunRecord &record) const ///< adds the sizes
  {
    record["dofs"]  = n();
    record["cells"] = n_cells;
    if (aspect > 1.)
      record["aspect_ratio"] = aspect; // of a cell
    record["levels"] = adamant::RunRecord::array();
    for (const auto &level : free)
      record["levels"].push_back({{"dofs", level.n_rows()}, {"nonzeros", level.matrix().n_nonzeros()}});
  }

  /// Adds one level with these unknowns, a subset of the rows of A and P.
  void add(const CSRMatrix<double> &A, const CSRMatrix<double> *P, const Array<int> &its_unknowns)
  {
    require(!its_unknowns.empty(), "Mesh: level ", free.size(),
            " has no unknown; there are too few refinements, or Solver/Coarsest level cells (for schur: "
            "Schur complement/Coarse refinements) is too small");
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

  /// Returns the rows of the unknowns, of a matrix on the finest level.
  CSRMatrix<double> of_unknowns(const CSRMatrix<double> &A) const
  {
    return submatrix(A, unknowns, adamant::numbers_below(A.n_cols));
  }
};

/// Q1 elements on a mesh of deal.II; u is prescribed on all boundaries except the natural ones.
template <int dim>
class Space
{
public:
  Space(dealii::Triangulation<dim> &mesh, const ProblemParameters &problem, unsigned int coarsest_cells)
    : problem(problem)
    , meshes(mesh, {coarsest_cells})
    , field(meshes, "u", dealii::FE_Q<dim>(1), prescribed(mesh, problem.natural))
  {}

  const dealii::MappingQ1<dim>    mapping;
  const dealii::QGauss<dim>       quadrature{2};
  const adamant::LevelSpace<dim> &nodes() const { return field.finest(); }

  /// Returns the levels; `whole` adds the data of the Schur complement.
  Levels make_levels(bool whole) const
  {
    const auto gradients = [](const Context &cell, auto i, auto j, auto q) {
      return cell.gradient(i, q) * cell.gradient(j, q);
    };
    const auto on_all = adamant::Levels::all, on_finest = adamant::Levels::finest;
    const auto A = assemble("A", field, unknowns(field), dealii::update_gradients, gradients, on_all);
    Levels     levels;
    for (std::size_t l = 0; l < field.n_levels(); ++l)
      levels.add(*A[l], l > 0 ? field.prolongation(l).get() : nullptr, free_nodes(field.space(l)));
    set_source(levels);
    levels.singular = nodes().prescribed.empty();
    levels.n_cells  = nodes().n_cells();
    levels.aspect   = aspect();
    if (!levels.singular)
      levels.lift = levels.of_unknowns(
        *assemble("A", field, prescribed_values(field), dealii::update_gradients, gradients, on_finest)[0]);
    if (!problem.homogeneous())
      levels.g = adamant::nodal_values(nodes(), mapping,
                                       *adamant::parse_function<dim>("Problem/Boundary values", problem.boundary, 1),
                                       nodes().prescribed);
    if (!whole)
      return levels;
    const Field all(meshes, "u", dealii::FE_Q<dim>(1));
    levels.matrix = assemble("A", all, unknowns(all), dealii::update_gradients, gradients, on_finest)[0];
    for (std::size_t l = 1; l < all.n_levels(); ++l)
      levels.prolongations.push_back(all.prolongation(l));
    return levels;
  }

  /// Returns the values at all nodes, hanging ones included, from the unknowns and prescribed values g (empty: zeros).
  Array<double> nodal_values(const Array<double> &x, const Array<double> &g) const
  {
    Array<double> free(nodes().n_dofs(), 0.);
    std::size_t   k = 0;
    for (const int i : free_nodes(nodes()))
      free[i] = x[k++];
    auto values = product(nodes().H, free);
    if (!g.empty())
      {
        const auto extension = product(nodes().B, g);
        std::transform(values.begin(), values.end(), extension.begin(), values.begin(), std::plus<double>());
      }
    return values;
  }

  /// Returns what fast diagonalization takes; for other solvers it is a comparison, where the mesh is of that kind.
  std::vector<adamant::Eigenpairs> directions(const SolverParameters &solver) const
  {
    const bool needed = solver.type == "fast_diagonalization";
    if (!needed && !solver.compare)
      return {};
    try
      {
        return adamant::tensor_product_eigenpairs(nodes(), mapping, true);
      }
    catch (const adamant::InputError &)
      {
        if (needed)
          throw;
        return {};
      }
  }

private:
  using Field   = adamant::Field<dim>;
  using Context = adamant::CellContext<dim>;

  static adamant::DirichletBoundary prescribed(const dealii::Triangulation<dim> &mesh,
                                               const std::set<unsigned int>     &natural)
  {
    auto boundary = adamant::all_boundaries(mesh);
    for (const auto id : natural)
      boundary.erase(id);
    return boundary;
  }
  static Array<int> free_nodes(const adamant::LevelSpace<dim> &space)
  {
    Array<int> numbers;
    for (int i = 0; i < space.n_dofs(); ++i)
      if (space.is_free(i))
        numbers.push_back(i);
    return numbers;
  }

  // Sets where the source is evaluated: at the nodes, or at quadrature points where it jumps between materials.
  void set_source(Levels &levels) const
  {
    const auto product = [](const Context &cell, auto i, auto j, auto q) {
      return cell.value(i, q) * cell.value(j, q);
    };
    const auto value = [](const Context &cell, auto i, auto q) { return cell.value(i, q); };
    const auto on    = adamant::Levels::finest;
    if (problem.f.by_material().empty())
      {
        levels.points = adamant::support_points(nodes(), mapping);
        levels.mass   = levels.of_unknowns(
            *assemble("M", field, adamant::nodal_values(field), dealii::update_values, product, on)[0]);
        return;
      }
    problem.f.check_materials(nodes().communicator(), adamant::materials_of(nodes()));
    levels.points   = adamant::quadrature_points(nodes(), mapping, quadrature);
    levels.material = adamant::materials_at_points(nodes(), quadrature.size());
    levels.mass =
      levels.of_unknowns(*assemble("M", field, adamant::quadrature_points<dim>(), dealii::update_values, value, on)[0]);
  }

  // Returns the matrices of a form with this integrand of shape functions, on the levels that it has.
  template <class Integrand>
  Matrices assemble(const std::string &name, const Field &u, const adamant::Columns<dim> &columns,
                    dealii::UpdateFlags flags, const Integrand &integrand, adamant::Levels on) const
  {
    adamant::Form<dim> form(name, u, columns, mapping, quadrature, flags | dealii::update_JxW_values,
                            adamant::integral<dim>(integrand), on);
    form.update();
    Matrices matrices;
    for (std::size_t l = on == adamant::Levels::all ? 0 : u.n_levels() - 1; l < u.n_levels(); ++l)
      matrices.push_back(form.matrix(l));
    return matrices;
  }

  // Returns the largest ratio of a cell's longest edge to its shortest one.
  double aspect() const
  {
    double largest = 1.;
    for (const auto &cell : nodes().active_cells())
      {
        std::array<double, dim> edges;
        for (unsigned int d = 0; d < dim; ++d)
          edges[d] = cell->extent_in_direction(d);
        const auto [shortest, longest] = std::minmax_element(edges.begin(), edges.end());
        largest                        = std::max(largest, *longest / *shortest);
      }
    return largest;
  }

  const ProblemParameters  &problem;
  adamant::LevelMeshes<dim> meshes;
  Field                     field;
};
} // namespace poisson
