#pragma once

#include "cases.h"
#include "data.h"

#include "application/field_output.h"
#include "application/output.h"
#include "base/run_record.h"
#include "discretization/fields/gradient_postprocessor.h"
#include "discretization/fields/l2_error.h"
#include "discretization/forms/stokes_matrices.h"
#include "solvers/krylov.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

/// What is written and said.
namespace stokes
{
/// The length of the smallest cells' edges, if they are cubes.
template <int dim>
double cell_length(const Triangulation<dim> &mesh)
{
  return GridTools::minimal_cell_diameter(mesh) / std::sqrt(dim);
}

/// Says where a case's bodies are smaller than two cells of length h, or the block's faces are within cells.
inline void note_resolution(const ProblemParameters &problem, double h)
{
  const bool balls = problem.name == "nsinker", block = problem.name == "sinker";
  if ((balls && 0.1 < 1.999 * h) || (block && 0.2 < 1.999 * h))
    std::cout << "warning: the " << (balls ? "balls are" : "block is") << " unresolved, smaller than two cells\n";
  else if (block && std::abs(0.2 / h - std::round(0.2 / h)) > 1e-6)
    std::cout << "note: the block's faces lie within cells, so that errors are of first order; Mesh/Cells = 5, 5, 5 "
                 "avoids that\n";
}

/// Prints what the problem is.
template <int dim>
void print_size(const ProblemParameters &problem, const adamant::StokesMatrices<dim> &matrices,
                adamant::Precision precision)
{
  std::cout << matrices.space().n_cells() << " cells, " << matrices.space().n_owned() << " velocities, "
            << matrices.pressure.finest().n_owned() << " pressures, " << matrices.velocity.n_levels() << " levels, "
            << to_text(precision) << std::endl;
  note_resolution(problem, cell_length(*matrices.meshes.finest_mesh()));
}

/// What keeps GMRES from a tolerance: rounding of η_max u against the right-hand side.
template <int dim>
std::string rounding_limit(const CellViscosity &eta, double h, const adamant::Vector<double> &x,
                           const adamant::Vector<double> &b)
{
  const double limit = std::numeric_limits<double>::epsilon() * eta.most * std::pow(h, dim - 2) *
                       max_norm(adamant::to_host(x)) / std::sqrt(b.device().dot(b, b));
  return "; rounding allows a relative residual of about " + adamant::to_text(limit) +
         " here; a larger Linear solver/Restart may help";
}

/// Velocity, strain rate √(ε : ε / 2), pressure and viscosity, from nodal values on the velocity mesh.
template <int dim>
void write_state(const adamant::StokesMatrices<dim> &matrices, const Mapping<dim> &mapping, const CellViscosity &eta,
                 const double *u, const double *p, adamant::TimeSeries &series, double time)
{
  const adamant::GradientPostprocessor<dim> strain_rate(
    {"strain_rate"}, [](const Tensor<2, dim> &gradient, types::material_id) {
      return std::vector<double>{std::sqrt(0.5) * symmetrize(gradient).norm()};
    });
  const auto            &space = matrices.space();
  dealii::Vector<double> of_cells(space.n_cells());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    of_cells[space.active_cells()[cell]->active_cell_index()] = eta.scale * eta.of_cells[cell];
  adamant::FieldOutput<dim> output;
  output.add_vectors(space, u, {"velocity"});
  output.add_derived(space, u, strain_rate);
  output.add_scalar(matrices.nodal_pressure.finest(), p, "pressure");
  output.add_data_vector(of_cells, "viscosity", DataOut<dim>::type_cell_data);
  output.build_patches(mapping, 1);
  series.write(output, time);
}

/// What the problem is, for run.json.
template <int dim>
void record_facts(const Parameters &parameters, const adamant::StokesMatrices<dim> &matrices, const CellViscosity &eta,
                  adamant::RunRecord &record)
{
  record["velocities"]       = matrices.space().n_owned();
  record["pressures"]        = matrices.pressure.finest().n_owned();
  record["hanging_nodes"]    = matrices.space().n_hanging() / dim;
  record["viscosity"]        = {{"min", eta.scale * eta.least}, {"max", eta.scale * eta.most}};
  record["schur_complement"] = parameters.schur() == adamant::SchurComplement::bfbt ? "bfbt" : "mass";
}

/// The errors in L² where the solution is known, of nodal values on the velocity mesh.
template <int dim>
void record_errors(const Case<dim> &data, const adamant::StokesMatrices<dim> &matrices, const Mapping<dim> &mapping,
                   const Array<double> &u, const Array<double> &p, adamant::RunRecord &record)
{
  const QGauss<dim> quadrature(5);
  if (data.exact_velocity)
    record["errors"]["u_l2"] = l2_error(matrices.space(), mapping, quadrature, u.data(), *data.exact_velocity);
  if (data.exact_pressure)
    record["errors"]["p_l2"] =
      l2_error(matrices.nodal_pressure.finest(), mapping, quadrature, p.data(), *data.exact_pressure);
}
} // namespace stokes
