#include "frame/parameters/linear_solver_parameters.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/smoother.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// The names of the enumerations in parameter files.
template <typename Enum>
using Names                          = std::vector<std::pair<std::string, Enum>>;
const Names<SolverType> solver_types = {{"gmres", SolverType::gmres},
                                        {"cg", SolverType::cg},
                                        {"bicgstab", SolverType::bicgstab},
                                        {"multigrid", SolverType::multigrid}};
const Names<Precision>  precisions   = {
     {"float32", Precision::float32}, {"float64", Precision::float64}, {"mixed", Precision::mixed}};
const Names<CoarseSolverType> coarse_solver_types = {{"dense_inverse", CoarseSolverType::dense_inverse},
                                                     {"smoothing", CoarseSolverType::smoothing},
                                                     {"trilinos_amg", CoarseSolverType::external}};

const Names<ComponentBlocks::Sweep> sweeps = {{"symmetric", ComponentBlocks::Sweep::symmetric},
                                              {"gauss_seidel", ComponentBlocks::Sweep::lower},
                                              {"jacobi", ComponentBlocks::Sweep::none}};

template <typename Enum>
std::string name_of(const Names<Enum> &names, Enum value)
{
  return std::find_if(names.begin(), names.end(), [&](const auto &entry) { return entry.second == value; })->first;
}

template <typename Enum>
Enum value_of(const Names<Enum> &names, const std::string &name)
{
  return std::find_if(names.begin(), names.end(), [&](const auto &entry) { return entry.first == name; })->second;
}

template <typename Enum>
dealii::Patterns::Selection selection(const Names<Enum> &names)
{
  std::string text;
  for (const auto &entry : names)
    text += (text.empty() ? "" : "|") + entry.first;
  return dealii::Patterns::Selection(text);
}

// All of the registry: jacobi|block_jacobi|...
std::string names_of_smoothers()
{
  std::string names;
  for (const auto &smoother : smoothers())
    names += (names.empty() ? "" : "|") + smoother.name;
  return names;
}

std::string description_of_smoothers()
{
  std::string text = "x <- x + omega S (b - A x), where S is ";
  for (const auto &smoother : smoothers())
    text += (&smoother == &smoothers().front() ? "" : ", or ") + smoother.description + " (" + smoother.name + ")";
  return text;
}
} // namespace

LinearSolverParameters::LinearSolverParameters(const LinearSolverOptions &defaults, unsigned int default_coarsest_cells,
                                               const std::string &section)
  : dealii::ParameterAcceptor(section)
  , coarse_solver(name_of(coarse_solver_types, defaults.multigrid.coarse_solver))
  , coarsest_cells(default_coarsest_cells)
  , tolerance(defaults.control.tolerance)
  , section(section.substr(section.find_first_not_of('/')))
  , solver(name_of(solver_types, defaults.type))
  , precision(name_of(precisions, defaults.precision))
  , smoother(defaults.multigrid.smoother.type)
  , max_iterations(defaults.control.max_iterations)
  , restart(defaults.restart)
  , pre_steps(defaults.multigrid.pre_steps)
  , post_steps(defaults.multigrid.post_steps)
  , coarse_steps(defaults.multigrid.coarse_steps)
  , cycles(defaults.multigrid.cycles)
  , chebyshev(defaults.multigrid.smoother.chebyshev)
  , arnoldi(defaults.multigrid.smoother.arnoldi)
  , damping(defaults.multigrid.smoother.damping)
  , range(defaults.multigrid.smoother.range)
{
  using namespace dealii::Patterns;
  add_parameter(
    "Solver", solver,
    "gmres, bicgstab, cg (symmetric positive definite problems only), or multigrid alone: x <- x + M (b - A "
    "x), M the preconditioner",
    prm, selection(solver_types));
  add_parameter("Preconditioner", preconditioner,
                "multigrid; trilinos_amg: Trilinos ML through deal.II, on the host only; component_blocks: of systems, "
                "multigrid for each component alone, see Component blocks",
                prm, Selection("multigrid|trilinos_amg|component_blocks"));
  add_parameter("Cycles", cycles,
                "V-cycles that one application of the preconditioner makes (component_blocks: each scalar solve), in "
                "Precision",
                prm, Integer());
  add_parameter("Tolerance", tolerance, "The solver stops at |b - A x| <= tolerance |b|", prm, Double(1e-15, 1));
  add_parameter("Maximum iterations", max_iterations, "More than these stop the run with an error", prm, Integer(1));
  add_parameter("Restart", restart, "Largest dimension of the Krylov space of gmres", prm, Integer(1, 1000));
  add_parameter("Precision", precision,
                "Of the V-cycle; everything else is double. mixed: smoothing in float32 of residuals in float64", prm,
                selection(precisions));
  add_parameter("Smoother", smoother, description_of_smoothers(), prm, Selection(names_of_smoothers()));
  add_parameter("Chebyshev", chebyshev,
                "Take the smoothing steps as one Chebyshev polynomial in S A, with its own eigenvalue estimate");
  add_parameter("Arnoldi polynomial", arnoldi,
                "Take them as one polynomial in S A whose zeros are harmonic Ritz values: for matrices far from "
                "symmetric, on stretched cells");
  add_parameter("Damping", damping, "omega of the smoother without Chebyshev", prm, Double(0, 2));
  add_parameter("Chebyshev range", range, "Chebyshev damps eigenvalues from the largest down to the largest over this",
                prm, Double(1.001, 1e6));
  add_parameter("Pre-smoothing steps", pre_steps, "With Chebyshev: the degree of the polynomial", prm, Integer(1, 100));
  add_parameter("Post-smoothing steps", post_steps, "With Chebyshev: the degree of the polynomial", prm,
                Integer(0, 100));
  add_parameter(
    "Interpolation", interpolation,
    "Between levels: embedding: of the elements; harmonic: the same, with the values of least energy inside "
    "refined cells (degree 2, nearly incompressible materials; of the matrix as it is first)",
    prm, Selection("embedding|harmonic"));
  add_parameter("Coarsest level cells", coarsest_cells,
                "Coarsening ends at the first level with at most this many cells", prm, Integer(1, 20000));
  add_parameter("Coarse solver", coarse_solver,
                "On the coarsest level; trilinos_amg: one cycle of Trilinos ML, on the host only", prm,
                selection(coarse_solver_types));
  add_parameter("Coarse steps", coarse_steps, "Smoothing steps where they solve the coarsest level", prm,
                Integer(1, 10000));
  enter_subsection("Component blocks");
  add_parameter("Sweep", sweep, "Over the components: symmetric (for cg, too), gauss_seidel (not for cg), or jacobi",
                prm, selection(sweeps));
  add_parameter("Omega", omega, "Factor of what it gives: between 0 and 2", prm, Double());
  leave_subsection();
  enter_subsection("Trilinos AMG");
  add_parameter("Elliptic", amg_elliptic,
                "ML's smoothed aggregation for elliptic problems (else its settings for others)");
  add_parameter("Smoother", amg_smoother, "Name of ML's smoother: Chebyshev, symmetric Gauss-Seidel, ILU, ...");
  add_parameter("Sweeps", amg_sweeps, "Smoothing sweeps", prm, Integer(1, 100));
  add_parameter("Aggregation threshold", amg_threshold, "Couplings weaker than this are dropped", prm, Double(0, 1));
  leave_subsection();
}

LinearSolverOptions LinearSolverParameters::options(const std::string &name) const
{
  LinearSolverOptions o;
  o.type                         = value_of(solver_types, solver);
  o.restart                      = static_cast<int>(restart);
  o.precision                    = value_of(precisions, precision);
  o.control                      = {tolerance, static_cast<int>(max_iterations), name};
  o.multigrid.smoother.type      = smoother;
  o.multigrid.smoother.chebyshev = chebyshev;
  o.multigrid.smoother.damping   = damping;
  o.multigrid.smoother.range     = range;
  o.multigrid.smoother.arnoldi   = arnoldi;
  if (arnoldi && (chebyshev || o.precision == Precision::mixed))
    throw InputError(section + "/Arnoldi polynomial goes neither with Chebyshev nor with Precision = mixed");
  if (cycles < 1)
    throw InputError(section + "/Cycles = " + std::to_string(cycles) + ": at least one V-cycle is needed");
  o.multigrid.cycles        = cycles;
  o.multigrid.pre_steps     = static_cast<int>(pre_steps);
  o.multigrid.post_steps    = static_cast<int>(post_steps);
  o.multigrid.coarse_solver = value_of(coarse_solver_types, coarse_solver);
  o.multigrid.coarse_steps  = static_cast<int>(coarse_steps);
  if (o.multigrid.coarse_solver == CoarseSolverType::external)
    o.multigrid.make_coarse_solver = make_trilinos_amg(amg_options());
  if (preconditioner == "component_blocks")
    check_component_blocks(o.type);
  return o;
}

void LinearSolverParameters::check_component_blocks(SolverType type) const
{
  const std::string here = section + "/Component blocks/";
  if (type == SolverType::cg && component_sweep() == ComponentBlocks::Sweep::lower)
    throw InputError(here + "Sweep = gauss_seidel is not symmetric, as cg needs it: take Sweep = symmetric, or " +
                     section + "/Solver = gmres");
  if (!(omega > 0. && omega < 2.))
    throw InputError(here + "Omega = " + to_text(omega) + " has to be between 0 and 2");
  if (interpolation != "embedding")
    throw InputError(section + "/Interpolation = " + interpolation +
                     " couples components: Preconditioner = component_blocks has embedding only");
  if (smoother_kind(smoother).patches)
    throw InputError(section + "/Smoother = " + smoother +
                     ": Preconditioner = component_blocks has no patches; take block_jacobi");
}

ComponentBlocks::Sweep LinearSolverParameters::component_sweep() const
{
  return value_of(sweeps, sweep);
}

std::string to_text(Precision precision)
{
  return name_of(precisions, precision);
}

void LinearSolverParameters::require_ranks(int n_ranks) const
{
  if (n_ranks == 1 || preconditioner == "trilinos_amg")
    return;
  if (smoother_kind(smoother).patches)
    throw InputError(section + "/Smoother = " + smoother + ": it runs on one rank; take block_jacobi");
  if (interpolation != "embedding")
    throw InputError(section + "/Interpolation = " + interpolation + ": it runs on one rank; take embedding");
}

void LinearSolverParameters::require_multigrid() const
{
  if (preconditioner != "multigrid")
    throw InputError(section + "/Preconditioner = " + preconditioner + ": this program has multigrid only");
}

void LinearSolverParameters::require_embedding() const
{
  if (interpolation != "embedding")
    throw InputError(section + "/Interpolation = " + interpolation + ": this program has embedding only");
}

TrilinosAMGOptions LinearSolverParameters::amg_options() const
{
  return {amg_elliptic, amg_smoother, amg_sweeps, amg_threshold};
}
} // namespace adamant
