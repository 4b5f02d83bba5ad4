#pragma once

#include "levels.h"
#include "parameters.h"

#include "base/run_record.h"
#include "direct/column_cycle.h"
#include "direct/column_solver.h"
#include "direct/schur.h"
#include "multigrid/linear_solver.h"
#include "tensor/fast_diagonalization.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

namespace poisson
{
/// An approximate inverse of A for r columns, and its costs.
struct Approximation
{
  double flop = 0., paper_flop = 0.; ///< of its products, for one column
  double traffic = 0.;               ///< least bytes for all columns
  double bytes   = 0.;               ///< bytes of its memory

  std::unique_ptr<adamant::Preconditioner> inverse = nullptr;

  /// Adds the costs to run.json, for n unknowns and r columns; it is applied to columns_per_second columns a second.
  void add_to(adamant::RunRecord &record, double n, int r, double columns_per_second) const
  {
    if (bytes > 0.)
      record["solver_bytes"] = bytes;
    if (flop > 0.)
      {
        record["flop_per_dof"]     = flop / n;
        record["bytes_per_dof"]    = traffic / n / r;
        record["tflop_per_second"] = 1e-12 * flop * columns_per_second;
      }
    if (paper_flop > 0.)
      record["paper_flop_per_dof"] = paper_flop / n;
  }
};

/// Makes solvers for one problem; solvers of one kind share their data.
class Solvers
{
public:
  using Vector = adamant::Vector<double>;

  /// `directions` belong to a tensor-product mesh, else they are empty.
  Solvers(const adamant::Device &device, const Parameters &parameters, const Levels &levels,
          std::vector<adamant::Eigenpairs> directions)
    : device(device)
    , parameters(parameters)
    , levels(levels)
    , directions(std::move(directions))
  {}

  /// Returns the solver that the parameters choose.
  Approximation chosen(int r) { return of(parameters.solver.type, parameters.solver.arithmetic(), r); }
  /// Returns the largest error of n columns X relative to a solver in double: fast diagonalization where the mesh
  /// allows it and it is not the chosen solver, else multigrid. Returns nothing where that one does not converge. B are
  /// the right-hand sides, from `from`.
  template <class RightHandSides>
  std::optional<double> error_against_double(const adamant::ColumnMatrix<double> &A, const RightHandSides &from, int n,
                                             Vector B, const Vector &X)
  {
    const bool same = parameters.solver.type == "fast_diagonalization" && parameters.solver.precision == "float64";
    const auto other =
      of(directions.empty() || same ? "multigrid" : "fast_diagonalization", adamant::Arithmetic::float64, n);
    const double tolerance = std::max(1e-12, 1e-15 * levels.n()); // rounding costs the more, the finer the mesh is
    Vector       exact(device, X.size());
    try
      {
        adamant::ColumnSolver(device, A, n, *other.inverse, adamant::ColumnSolver::Method::conjugate_gradients)
          .solve(B, exact, {tolerance, 100, "Poisson's equation, for comparison"});
      }
    catch (const adamant::SolverError &error) // rounding may allow no such tolerance: a long channel, stretched cells
      {
        std::cout << "note: nothing is compared. " << error.what() << '\n';
        return std::nullopt;
      }
    from.remove_constant(exact);
    adamant::ColumnNorms norms(device, levels.n(), n);
    const auto           sizes = norms.fetch(exact);
    device.axpby(-1., X, 1., exact);
    const auto errors = norms.fetch(exact);
    double     error  = 0.;
    for (int s = 0; s < n; ++s)
      error = std::max(error, sizes[s] > 0. ? errors[s] / sizes[s] : errors[s]); // statistics have refused NaN
    return error;
  }
  /// Returns a solver in TF32 for columns where 16 bits are too few, or null.
  adamant::MakePreconditioner fallback()
  {
    if (!parameters.solver.direct() || parameters.solver.arithmetic() < adamant::Arithmetic::bfloat16)
      return nullptr;
    return [this](int r) { return of(parameters.solver.type, adamant::Arithmetic::tf32, r).inverse; };
  }

  /// Makes the data that all Schur complements of the problem share. Throws InputError where there can be none.
  void prepare_schur()
  {
    if (nodes)
      return;
    require(!levels.singular, "Solver/Solver = schur needs prescribed values on some boundary");
    const std::size_t n = parameters.mesh.refinements - parameters.schur.coarse_refinements;
    require(n <= levels.prolongations.size(), "Schur complement/Coarse refinements: the mesh has fewer levels");
    nodes.emplace(Matrices(levels.prolongations.end() - long(n), levels.prolongations.end()), levels.unknowns);
    cells.emplace(*nodes, *levels.matrix);
    matrices.emplace(*nodes, *cells, *levels.matrix);
  }

  /// Returns condition numbers and counts, as in Tables 1 and 4 of the paper.
  adamant::RunRecord conditions()
  {
    prepare_schur();
    const auto   kappa = condition_numbers(device, *nodes, *cells, *matrices, *levels.matrix);
    const auto  &A     = levels.free.back().matrix();
    const double n_E = cells->edge.size(), largest = *std::max_element(A.value.begin(), A.value.end());
    // Counts entries that are not zero; between nodes of right-angled triangles some are.
    const double entries =
      std::count_if(A.value.begin(), A.value.end(), [&](double value) { return std::abs(value) > 1e-13 * largest; });
    double inverses = 0.;
    for (const auto &kind : cells->classes)
      inverses += double(kind.n_inner) * kind.n_inner;
    return {{"C", cells->coarse.size()},
            {"E", cells->edge.size()},
            {"I", cells->n_inner},
            {"kappa_nodal", kappa.nodal},
            {"kappa_hierarchical", kappa.hierarchical},
            {"kappa_prehandled", kappa.prehandled},
            {"kappa_C", kappa.C},
            {"kappa_Pi", kappa.Pi},
            {"entries_of_C_inverse", inverses / entries},
            {"entries_of_Pi_inverse", n_E * n_E / entries}};
  }

private:
  Approximation of(const std::string &type, adamant::Arithmetic arithmetic, int r)
  {
    if (type == "schur")
      return schur(arithmetic, r);
    if (type == "multigrid")
      return arithmetic == adamant::Arithmetic::float32 ? multigrid<float>(r) : multigrid<double>(r);
    auto solver = std::make_unique<adamant::FastDiagonalization>(device, directions, arithmetic, r);
    return {solver->flop(), 0., solver->traffic(), double(solver->bytes()), std::move(solver)};
  }

  // For one right-hand side it is the library's own V-cycle, whose matrices are in the formats of the device.
  template <typename Number>
  Approximation multigrid(int r) const
  {
    using Cycle        = adamant::ColumnCycle<Number>;
    const auto &chosen = parameters.solver;
    const auto  cost   = adamant::cycle_cost(levels.free, int(chosen.steps), r, sizeof(Number));
    if (r == 1)
      {
        adamant::MultigridOptions options;
        options.smoother  = {chosen.smoother, true, 0.8, chosen.range};
        options.cycles    = int(chosen.cycles);
        options.pre_steps = options.post_steps = int(chosen.steps);
        options.singular                       = levels.singular;
        const auto precision =
          sizeof(Number) == sizeof(float) ? adamant::Precision::float32 : adamant::Precision::float64;
        const double cycles = chosen.smoother == "jacobi" ? double(chosen.cycles) : 0.; // only Jacobi is counted
        return {cycles * cost.flop, 0., cycles * cost.traffic, 0.,
                make_multigrid(device, levels.free, precision, options)};
      }
    const typename Cycle::Options options{int(chosen.steps), chosen.range, levels.singular};
    auto                          cycle = std::make_unique<Cycle>(device, levels.free, r, options);
    return {cost.flop, 0., cost.traffic, double(cycle->bytes()), std::move(cycle)};
  }

  Approximation schur(adamant::Arithmetic arithmetic, int r)
  {
    prepare_schur();
    // Π⁻¹ has to fit; each refinement less of the coarse mesh leaves about half of its rows.
    const double n_edge = cells->edge.size(), free = adamant::free_bytes(device);
    const auto   bytes = adamant::schur_bytes(n_edge, arithmetic);
    const double fewer = std::ceil(0.5 * std::log2(bytes.most / free));
    require(bytes.most <= free, "schur: the inverse for ", n_edge, " unknowns on edges takes ", bytes.stored,
            " bytes, and ", bytes.most, " while it is made, but ", free,
            " are free; Schur complement/Coarse refinements = ",
            std::max(0., parameters.schur.coarse_refinements - fewer), " may fit");
    if (levels.aspect > 4. && arithmetic >= adamant::Arithmetic::bfloat16)
      std::cout << "warning: cells are stretched " << levels.aspect << " : 1, which prehandling does not mend; take "
                << "Solver = fast_diagonalization where the mesh is a box, or Precision = tf32\n";
    auto solver = std::make_unique<adamant::Schur>(device, *nodes, *cells, *matrices, arithmetic, r);
    return {solver->flop(), solver->paper_flop(), solver->traffic(), double(solver->bytes()), std::move(solver)};
  }

  adamant::Device                        device;
  const Parameters                      &parameters;
  const Levels                          &levels;
  const std::vector<adamant::Eigenpairs> directions;
  std::optional<adamant::NestedNodes>    nodes; // nodes, cells and matrices belong to the Schur complement
  std::optional<adamant::MacroCells>     cells;
  std::optional<adamant::Prehandled>     matrices;
};
} // namespace poisson
