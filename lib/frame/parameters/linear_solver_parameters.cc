#include "frame/parameters/linear_solver_parameters.h"

#include "base/exceptions.h"
#include "frame/sparse_direct.h"
#include "multigrid/smoothers/registry.h"
#include "solvers/krylov.h"

#include <boost/algorithm/string/join.hpp>
#include <boost/range/adaptor/map.hpp>
#include <boost/range/adaptor/transformed.hpp>

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
const Names<CoarseSolverType> coarse_solver_types = {{"auto", CoarseSolverType::automatic},
                                                     {"dense_inverse", CoarseSolverType::dense_inverse},
                                                     {"smoothing", CoarseSolverType::smoothing},
                                                     {"sparse_direct", CoarseSolverType::external},
                                                     {"trilinos_amg", CoarseSolverType::external}};

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
  return dealii::Patterns::Selection(boost::algorithm::join(names | boost::adaptors::map_keys, "|"));
}

// What `text` returns of each kind in the registry, with separators.
std::string of_smoothers(std::string (*text)(const SmootherKind &), const std::string &separator)
{
  return boost::algorithm::join(smoothers() | boost::adaptors::transformed(text), separator);
}
} // namespace

LinearSolverParameters::LinearSolverParameters(const LinearSolverOptions &defaults, unsigned int default_coarsest_cells,
                                               const std::string &section)
  : dealii::ParameterAcceptor(section)
  , coarsest_cells(default_coarsest_cells)
  , tolerance(defaults.control.tolerance)
  , given(defaults)
  , section(section.substr(section.find_first_not_of('/')))
  , solver(name_of(solver_types, defaults.type))
  , precision(name_of(precisions, defaults.precision))
{
  auto &multigrid = given.multigrid;
  using namespace dealii::Patterns;
  add_parameter(
    "Solver", solver,
    "gmres, bicgstab, cg (symmetric positive definite problems only), or multigrid alone: x <- x + M (b - A "
    "x), M the preconditioner",
    prm, selection(solver_types));
  add_parameter("Preconditioner", preconditioner,
                "multigrid; trilinos_amg: Trilinos ML through deal.II, on the host only; component_blocks, for "
                "systems: multigrid for each component alone, see Component blocks",
                prm, Selection("multigrid|trilinos_amg|component_blocks"));
  add_parameter("Cycles", multigrid.cycles,
                "V-cycles that one application of the preconditioner makes (component_blocks: each scalar solve), in "
                "Precision",
                prm, Integer());
  add_parameter("Tolerance", tolerance, "The solver stops at |b - A x| <= tolerance |b|", prm, Double(1e-15, 1));
  add_parameter("Maximum iterations", given.control.max_iterations, "More than these stop the run with an error", prm,
                Integer(1));
  add_parameter("Restart", given.restart, "Largest dimension of the Krylov space of gmres", prm, Integer(1, 1000));
  add_parameter("Precision", precision,
                "Precision of the V-cycle; all else is double. mixed: smoothing of float64 residuals in float32", prm,
                selection(precisions));
  add_smoothing();
  add_parameter("Interpolation", interpolation,
                "embedding: as the elements embed; harmonic: embedding, but nodes inside refined cells get the values "
                "of least energy (for degree 2, nearly incompressible materials)",
                prm, Selection("embedding|harmonic"));
  add_parameter("Coarsest level cells", coarsest_cells,
                "Coarsening ends at the first level with at most this many cells", prm, Integer(1, 20000));
  add_parameter(
    "Coarse solver", coarse_solver,
    "Solver of the coarsest level. auto: the dense inverse of at most 1000 rows (on a GPU 16384), of more rows "
    "sparse_direct, where its factors are cheap, or V-cycles on aggregates of Trilinos ML. On the host only, "
    "sparse_direct: UMFPACK through deal.II, and trilinos_amg: a cycle of Trilinos ML itself",
    prm, selection(coarse_solver_types));
  add_parameter("Coarse steps", multigrid.coarse_steps,
                "Smoothing steps on the coarsest level with Coarse solver = smoothing", prm, Integer(1, 10000));
  enter_subsection("Component blocks");
  add_parameter("Sweep", sweep, "Over the components: symmetric (for cg, too), gauss_seidel (not for cg), or jacobi",
                prm, Selection("symmetric|gauss_seidel|jacobi"));
  add_parameter("Omega", omega, "Factor that multiplies the result of the sweep: between 0 and 2", prm, Double());
  leave_subsection();
  enter_subsection("Trilinos AMG");
  add_parameter("Elliptic", amg.elliptic,
                "ML's smoothed aggregation for elliptic problems (else its settings for others)");
  add_parameter("Smoother", amg.smoother, "Name of ML's smoother: Chebyshev, symmetric Gauss-Seidel, ILU, ...");
  add_parameter("Sweeps", amg.smoother_sweeps, "Smoothing sweeps", prm, Integer(1, 100));
  add_parameter("Aggregation threshold", amg.aggregation_threshold, "Couplings weaker than this are dropped", prm,
                Double(0, 1));
  leave_subsection();
}

void LinearSolverParameters::add_smoothing()
{
  auto &multigrid = given.multigrid;
  auto &smoother  = multigrid.smoother;
  using namespace dealii::Patterns;
  add_parameter("Smoother", smoother.type,
                "x <- x + omega S (b - A x). " +
                  of_smoothers([](const auto &kind) { return "S of " + kind.name + " is " + kind.description; }, ". "),
                prm, Selection(of_smoothers([](const auto &kind) { return kind.name; }, "|")));
  add_parameter("Chebyshev", smoother.chebyshev,
                "Take the smoothing steps as one Chebyshev polynomial in S A, with its own eigenvalue estimate");
  add_parameter("Arnoldi polynomial", smoother.arnoldi,
                "Take the smoothing steps as one polynomial in S A whose zeros are harmonic Ritz values: for matrices "
                "far from symmetric, on stretched cells");
  add_parameter("Damping", smoother.damping,
                "omega of the smoother without Chebyshev; that of Jacobi is at most 1.9 / lambda", prm, Double(0, 2));
  add_parameter("Chebyshev range", smoother.range,
                "Chebyshev damps eigenvalues above the largest divided by this number", prm, Double(1.001, 1e6));
  add_parameter("Pre-smoothing steps", multigrid.pre_steps, "With Chebyshev: the degree of the polynomial", prm,
                Integer(1, 100));
  add_parameter("Post-smoothing steps", multigrid.post_steps, "With Chebyshev: the degree of the polynomial", prm,
                Integer(0, 100));
}

LinearSolverOptions LinearSolverParameters::options(const std::string &name) const
{
  LinearSolverOptions o     = given;
  o.type                    = value_of(solver_types, solver);
  o.precision               = value_of(precisions, precision);
  o.control.tolerance       = tolerance;
  o.control.name            = name;
  o.multigrid.coarse_solver = value_of(coarse_solver_types, coarse_solver);
  const auto &smoother      = o.multigrid.smoother;
  require(!smoother.arnoldi || !(smoother.chebyshev || o.precision == Precision::mixed), section,
          "/Arnoldi polynomial goes neither with Chebyshev nor with Precision = mixed");
  require(o.multigrid.cycles >= 1, section, "/Cycles = ", o.multigrid.cycles, ": at least one V-cycle is needed");
  add_coarse_solver(amg, o.multigrid);
  if (preconditioner == "component_blocks")
    check_component_blocks(o.type);
  return o;
}

void LinearSolverParameters::add_coarse_solver(const TrilinosAMGOptions &of_ml, MultigridOptions &options) const
{
  if (coarse_solver == "sparse_direct")
    options.make_coarse_solver = sparse_direct;
  if (coarse_solver == "trilinos_amg")
    options.make_coarse_solver = make_trilinos_amg(of_ml);
  if (coarse_solver == "auto" && amg_suits)
    options.make_prolongations = make_trilinos_prolongations(of_ml);
  // Algebraic levels, which points smooth, are poor where vertex patches are needed: five times the iterations.
  const bool patches = given.multigrid.smoother.type == "vertex_patches";
  if (coarse_solver == "auto" && has_sparse_direct)
    options.make_coarse_solver = [always = !options.make_prolongations, patches](const CSRMatrix<double> &A) {
      return always || factors_are_cheap(A, patches ? 1000. : 300.) ? sparse_direct(A) : ExternalSolver{nullptr};
    };
}

void LinearSolverParameters::check_component_blocks(SolverType type) const
{
  const std::string here = section + "/Component blocks/", &smoother = given.multigrid.smoother.type;
  require(type != SolverType::cg || sweep != "gauss_seidel", here,
          "Sweep = gauss_seidel is not symmetric, as cg needs it: take Sweep = symmetric, or ", section,
          "/Solver = gmres");
  require(omega > 0. && omega < 2., here, "Omega = ", to_text(omega), " has to be between 0 and 2");
  require(interpolation == "embedding", section, "/Interpolation = ", interpolation,
          " couples components: Preconditioner = component_blocks has embedding only");
  require(!smoother_kind(smoother).patches, section, "/Smoother = ", smoother,
          ": Preconditioner = component_blocks has no patches; take block_jacobi");
}

std::string to_text(Precision precision)
{
  return name_of(precisions, precision);
}

void LinearSolverParameters::require_ranks(int n_ranks) const
{
  if (n_ranks == 1 || preconditioner == "trilinos_amg")
    return;
  const std::string &smoother = given.multigrid.smoother.type;
  require(!smoother_kind(smoother).patches, section, "/Smoother = ", smoother,
          ": it runs on one rank; take block_jacobi");
}

void LinearSolverParameters::require_multigrid() const
{
  require(preconditioner == "multigrid", section, "/Preconditioner = ", preconditioner,
          ": this program has multigrid only");
}

void LinearSolverParameters::require_own_levels() const
{
  require_multigrid();
  require(interpolation == "embedding", section, "/Interpolation = ", interpolation,
          ": this program has embedding only");
  require(coarsest_on_one_rank(), section, "/Coarse solver = ", coarse_solver,
          ": this program has auto, dense_inverse, sparse_direct and smoothing only");
}
} // namespace adamant
