#pragma once

#include "cases.h"

#include "base/run_record.h"
#include "fem/forms/integrals.h"
#include "stokes/cell_viscosity.h"
#include "stokes/stokes_matrices.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>

/// Output of results, in files and on the screen.
namespace stokes
{
/// Returns the number of cells of the velocity's mesh.
template <int dim>
std::size_t n_cells(const adamant::StokesMatrices<dim> &matrices)
{
  return matrices.space().triangulation().n_global_active_cells();
}

/// Returns the length of the smallest cells' edges, if they are cubes.
template <int dim>
double cell_length(const Triangulation<dim> &mesh)
{
  return GridTools::minimal_cell_diameter(mesh) / std::sqrt(dim);
}

/// Prints a note where a case's bodies are smaller than two cells of length h, or the block's faces lie within cells.
inline void note_resolution(const ProblemParameters &problem, double h)
{
  const bool balls = problem.name == "nsinker", block = problem.name == "sinker";
  if ((balls && 0.1 < 1.999 * h) || (block && 0.2 < 1.999 * h))
    std::cout << "warning: the " << (balls ? "balls are" : "block is") << " unresolved, smaller than two cells\n";
  else if (block && std::abs(0.2 / h - std::round(0.2 / h)) > 1e-6)
    std::cout << "note: the block's faces lie within cells, so that errors are of first order; Mesh/Cells = 5, 5, 5 "
                 "avoids that\n";
}

/// Prints the size of the problem.
template <int dim>
void print_size(const ProblemParameters &problem, const adamant::StokesMatrices<dim> &matrices,
                adamant::Precision precision)
{
  const auto &velocities = matrices.space();
  std::cout << n_cells(matrices) << " cells, " << velocities.n_global_dofs() << " velocities, "
            << matrices.pressure.finest().n_global_dofs() << " pressures, " << matrices.data().velocity.size()
            << " levels, " << to_text(precision) << std::endl;
  note_resolution(problem, cell_length(velocities.triangulation()));
}

/// Records the size and the solver of the problem for run.json.
template <int dim>
void record_facts(const Parameters &parameters, const adamant::StokesMatrices<dim> &matrices,
                  const adamant::CellViscosity &eta, adamant::RunRecord &record)
{
  record["velocities"]    = matrices.space().n_global_dofs();
  record["pressures"]     = matrices.pressure.finest().n_global_dofs();
  record["hanging_nodes"] = matrices.space().n_hanging() / dim;
  const auto &levels      = matrices.data().velocity;
  record["levels_by_cells"] =
    std::count_if(levels.begin(), levels.end(), [](const auto &level) { return level.cells() != nullptr; });
  record["viscosity"]        = {{"min", eta.scale * eta.least}, {"max", eta.scale * eta.most}};
  record["schur_complement"] = parameters.schur() == adamant::SchurComplement::bfbt ? "bfbt" : "mass";
}

/// Records the errors in L² where the solution is known; u and p are nodal values on the velocity mesh.
template <int dim>
void record_errors(const Case<dim> &data, const adamant::StokesMatrices<dim> &matrices, const Mapping<dim> &mapping,
                   const adamant::Array<double> &u, const adamant::Array<double> &p, adamant::RunRecord &record)
{
  const QGauss<dim> quadrature(5);
  if (data.exact_velocity)
    record["errors"]["u_l2"] = l2_error(matrices.space(), mapping, quadrature, u.data(), *data.exact_velocity);
  if (data.exact_pressure)
    record["errors"]["p_l2"] =
      l2_error(matrices.nodal_pressure.finest(), mapping, quadrature, p.data(), *data.exact_pressure);
}
} // namespace stokes
