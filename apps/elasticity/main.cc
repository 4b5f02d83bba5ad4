// Linear elasticity on adaptive meshes in two (plane strain) or three dimensions (Liebchen et al., Section 5.2):
//
//   d_t u - v = 0,   rho d_t v - div sigma(u) = f,   sigma = lambda tr(epsilon) I + 2 mu epsilon,
//
// u prescribed on Dirichlet boundaries (constant in time), sigma n = g elsewhere; backward Euler. With the matrices of mass M
// and stiffness K and the load F, one step of either formulation is A x = E w + F' - C g (g: the prescribed values, C: A acting on them):
//
//   condensed:  (M + dt² K) u = M (u1 + dt v1) + dt² F,  v = (u - u1) / dt   (the first equation eliminates v)
//   coupled:    [ sM  -sM ] [  u ]   [ sM u1           ]
//               [ dt²K  M ] [dt v] = [ M dt v1 + dt² F ]   (as in the paper, six components a node)
//   stationary: K u = F
//
// where u1, v1 belong to the last step. The factor s makes the residuals of both equations comparable.

#include "material.h"
#include "mesh.h"
#include "parameters.h"

#include "application/program.h"
#include "application/time_dependent_problem.h"
#include "application/values_at_points.h"
#include "discretization/fields/error_estimate.h"
#include "discretization/fields/l2_error.h"
#include "discretization/fields/nodal_values.h"
#include "discretization/forms/load.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/numerics/data_out.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>

using namespace dealii;
using namespace elasticity;
using adamant::CellContext;
using adamant::Form;
using adamant::Section;

enum class Formulation
{
  condensed,
  coupled, // the vectors of unknowns hold dt v beside u in each node
  stationary
};

// The weights of a matrix in the blocks of displacement and velocity; only the first one counts where the velocity is no unknown.
using Blocks = std::array<std::array<double, 2>, 2>;

template <int dim>
class Elasticity : public adamant::TimeDependentProblem<dim>
{
public:
  Elasticity(const Parameters &parameters, const adamant::Device &device, adamant::Run &run);

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Matrix = adamant::Matrix<double>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::schedule, Base::step, Base::time;

  void                        make_mesh() override;
  void                        adapt_mesh() override;
  void                        setup() override;
  void                        set_initial_values() override;
  adamant::SolverResult       advance() override;
  void                        serialize(adamant::State &state) override;
  void                        add_statistics(adamant::Statistics::Row &row) override;
  void                        report() override;
  bool                        output_due() const override;
  std::vector<const Vector *> output_vectors() const override;
  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override;

  void                      setup_fields();
  adamant::DirichletBoundary dirichlet_boundary() const;
  void                      assemble();
  void                      add_mass(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const;
  void add_stiffness(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const;
  void setup_load();
  void setup_solver();
  void compute_rhs();

  const Parameters           &parameters;
  const double                dt;
  const Material              material;
  const ProblemFunctions<dim> functions;
  const QGauss<dim>           quadrature;

  Formulation                                formulation = Formulation::stationary;
  std::unique_ptr<FESystem<dim>>             fe;
  std::vector<std::vector<unsigned int>>     local_dof; // of a cell: [component][node]
  std::optional<adamant::LevelMeshes<dim>>   meshes;
  std::optional<adamant::Field<dim>>         field;
  std::optional<adamant::DeviceField<dim>>   space;
  std::optional<Form<dim>>                   A;
  std::unique_ptr<adamant::LinearSolver>     solver; // of A
  Matrix                                     E;
  adamant::ValuesAtPoints                    at_points;
  Vector u, u_old, v, w, x, rhs, boundary_values; // coupled: u holds dt v too, and v is empty
  Vector load, lift, work;                        // Hᵀ F', -C g, F for the work F . u
  adamant::Extrapolation guess;

  Energies            energy{};
  double              work_of_load = 0.;
  std::vector<double> displacement_at_points;
};

template <int dim>
Elasticity<dim>::Elasticity(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
  : Base(device, run, parameters.schedule())
  , parameters(parameters)
  , dt(parameters.time.step)
  , material(parameters.problem.material())
  , functions(parameters.problem)
  , quadrature(parameters.discretization.degree + 1)
  , guess(device, parameters.time.extrapolation_order)
{}

template <int dim>
void Elasticity<dim>::make_mesh()
{
  const auto &p = parameters.discretization;
  p.make_box(*mesh);
  const std::map<std::string, unsigned int> n_near = {{"uniform", 0}, {"face", 1}, {"edge", 2}, {"vertex", dim}};
  if (p.refinement != "kelly")
    refine_towards_origin(*mesh, p.lengths, n_near.at(p.refinement), p.steps);
}

// Cycles of error-driven refinement: solve the stationary problem, refine where Kelly's estimator is largest.
template <int dim>
void Elasticity<dim>::adapt_mesh()
{
  const auto &p = parameters.discretization;
  for (unsigned int cycle = 0; p.refinement == "kelly" && cycle < p.steps; ++cycle)
    {
      setup_fields();
      assemble();
      time = parameters.time.end;
      advance();
      const auto    values = this->download(u);
      Section       scope(run_info.timer, "init/mesh");
      const auto    errors = adamant::estimate_errors(field->finest(), mapping, values.data());
      release();
      adamant::refine_and_coarsen(*mesh, errors, p.refine_fraction, 0.);
    }
  time = 0.;
}
