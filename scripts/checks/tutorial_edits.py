"""How deal.II's tutorials take adamant, or Trilinos ML, in the place of their own preconditioner: edits of their
sources.

Three kinds of edits are kept apart: `adamant`, the lines that a user writes; `ml`, which do the same for Trilinos ML;
and `common`, which all variants have: larger meshes, a clock, no output. With `common` the stationary tutorials solve
to 1e-8 of the right-hand side, as their tolerances differ between deal.II's versions. Edits are for the versions 9.4
and later; `either` names what has changed between them.
"""

from .edits import after, before, either, replace

AUTOPILOT = [after("DEAL_II_INVOKE_AUTOPILOT()",
                   "find_package(adamant REQUIRED COMPONENTS dealii)",
                   "target_link_libraries(${TARGET} adamant::dealii)")]

# clock.h of all variants: the processor time of set-ups and solves, summed over the solves on a mesh.
CLOCK = """#pragma once
#include <cstdio>
#include <ctime>
struct Clock
{
  double       unknowns = 0, begin = 0, set_up = 0, solve = 0;
  unsigned int solves = 0, iterations = 0;
  static double now() { return double(std::clock()) / CLOCKS_PER_SEC; }
  void start(double n)
  {
    if (n != unknowns)
      *this = {n};
    begin = now();
  }
  void set_up_ends()
  {
    set_up += now() - begin;
    begin = now();
  }
  void solve_ends(unsigned int n_iterations, double norm)
  {
    solve += now() - begin;
    iterations += n_iterations;
    ++solves;
    std::printf("\\nclock: %.0f %u %u %.6f %.6f %.12e\\n", unknowns, solves, iterations, set_up, solve, norm);
    std::fflush(stdout);
  }
};
inline Clock watch;
"""


class Tutorial:
    """`limit`: the most iterations of a solve with adamant on the last mesh; `ranks`: on how many it runs."""

    def __init__(self, step, common, adamant, ml, limit, name="", ranks=(1,)):
        self.step, self.common, self.adamant, self.ml, self.limit = step, common, adamant, ml, limit
        self.name, self.ranks = name or step, ranks

    def variants(self):
        """{name: edits of the source}; those of ML are missing where it is no choice."""
        lines = {"own": [], "ml": self.ml, "adamant": self.adamant}
        return {name: self.common + edits for name, edits in lines.items() if edits is not None}


MPI = after("try {", "dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);")


def watched(solve, begin, norm):
    """A clock around a solve, which starts before `begin`."""
    return [before(begin, "watch.start(dof_handler.n_dofs());"), before(solve, "watch.set_up_ends();"),
            after(solve, f"watch.solve_ends(solver_control.last_step(), {norm}.l2_norm());")]


def no_output(function):
    return after(function + " {", "return;")


def ml(include, variable, initialize, *data, options=""):
    """A serial tutorial with PreconditionAMG, which needs MPI, in the place of its preconditioner."""
    return [after(include, "#include <deal.II/lac/trilinos_precondition.h>"),
            replace("int main()", "int main(int argc, char *argv[])"),
            MPI,
            replace(variable, "TrilinosWrappers::PreconditionAMG preconditioner;"),
            replace(initialize, f"TrilinosWrappers::PreconditionAMG::AdditionalData data({options or 'true'});", *data,
                    "preconditioner.initialize(system_matrix, data);")]


INCLUDE = '#include "dealii/preconditioner.h"'
MULTIGRID = "adamant::DealiiPreconditioner<> preconditioner;"
ON_MESH = "preconditioner.initialize(system_matrix, dof_handler, constraints);"
WITH_Q2 = "/*elliptic*/ true, /*higher_order_elements*/ true"

# --- The tutorials ----------------------------------------------------------------------------------------------------

LAST_INCLUDE = "#include <deal.II/numerics/error_estimator.h>"
SSOR = "PreconditionSSOR<SparseMatrix<double>> preconditioner;"
RELAXATION = "preconditioner.initialize(system_matrix, 1.2);"
CYCLES = "for (unsigned int cycle = 0; cycle < 8; ++cycle)"
CONTROL = "SolverControl solver_control(10000, 1e-8 * system_rhs.l2_norm());"


def to_one_tolerance(n):
    return either(replace(f"SolverControl solver_control({n}, 1e-12);", CONTROL),
                  replace(f"SolverControl solver_control({n}, 1e-6 * system_rhs.l2_norm());", CONTROL))


def stationary(solver, output, n_cycles):
    return [after(LAST_INCLUDE, '#include "clock.h"'), to_one_tolerance(1000), no_output(output),
            replace(CYCLES, CYCLES.replace("8", str(n_cycles))),
            *watched(f"{solver}.solve(system_matrix, solution, system_rhs, preconditioner);", CONTROL, "solution")]


STEP_6 = Tutorial(
    "step-6",
    common=stationary("solver", "void Step6<dim>::output_results(const unsigned int cycle) const", 11),
    adamant=[after(LAST_INCLUDE, INCLUDE), replace(SSOR, MULTIGRID), replace(RELAXATION, ON_MESH)],
    ml=ml(LAST_INCLUDE, SSOR, RELAXATION, options=WITH_Q2),
    limit=16)

STEP_8 = Tutorial(
    "step-8",
    common=stationary("cg", "void ElasticProblem<dim>::output_results(const unsigned int cycle) const", 9),
    adamant=STEP_6.adamant,
    ml=ml(LAST_INCLUDE, SSOR, RELAXATION,
          "DoFTools::extract_constant_modes(dof_handler, ComponentMask(dim, true), data.constant_modes);"),
    limit=15)

# The levels are made on a new mesh. The other Newton steps on it take over new values.
NEWTON_SOLVE = 'solve(); std::cout << "  Residual: "'


def newton_edits(constraints):
    return [after(f"AffineConstraints<double> {constraints};", MULTIGRID),
            before(NEWTON_SOLVE,
                   f"if (inner_iteration == 0) preconditioner.initialize(system_matrix, dof_handler, {constraints});",
                   "else preconditioner.initialize(system_matrix);")]


STEP_15 = Tutorial(
    "step-15",
    common=[after(LAST_INCLUDE, '#include "clock.h"'),
            either(replace("while (last_residual_norm > 1e-3);", "while (refinement_cycle < 9);"),
                   replace("while (last_residual_norm > 1e-2);", "while (refinement_cycle < 9);")),
            no_output("void MinimalSurfaceProblem<dim>::output_results(const unsigned int refinement_cycle) const"),
            *watched("solver.solve(system_matrix, newton_update, system_rhs, preconditioner);", NEWTON_SOLVE,
                     "current_solution")],
    adamant=[after(LAST_INCLUDE, INCLUDE), replace(SSOR), replace(RELAXATION),
             either(newton_edits("hanging_node_constraints"), newton_edits("zero_constraints"))],
    ml=ml(LAST_INCLUDE, SSOR, RELAXATION, options=WITH_Q2),
    limit=60)

# The velocity's preconditioner in the Schur complement: iterations of all inner solvers together.
INNER = "using type = SparseDirectUMFPACK;"
INNER_SET_UP = """A_preconditioner->initialize(system_matrix.block(0, 0),
                                               typename InnerPreconditioner<dim>::type::AdditionalData());"""
STEP_22 = Tutorial(
    "step-22",
    common=[after("#include <deal.II/lac/sparse_ilu.h>", '#include "clock.h"'),
            replace("for (unsigned int refinement_cycle = 0; refinement_cycle < 6; ++refinement_cycle)",
                    "for (unsigned int refinement_cycle = 0; refinement_cycle < 7; ++refinement_cycle)"),
            no_output("void StokesProblem<dim>::output_results(const unsigned int refinement_cycle) const"),
            before("A_preconditioner = std::make_shared<typename InnerPreconditioner<dim>::type>();",
                   "watch.start(dof_handler.n_dofs());"),
            before("const InverseMatrix<SparseMatrix<double>, typename InnerPreconditioner<dim>::type> A_inverse(",
                   "watch.set_up_ends();"),
            after("A_inverse.vmult(solution.block(0), tmp);", "watch.solve_ends(0, solution.l2_norm());"),
            after("cg.solve(*matrix, dst, src, *preconditioner);",
                  "if (!std::is_same<PreconditionerType, SparseILU<double>>::value)",
                  "  watch.iterations += solver_control.last_step();")],
    adamant=[after("#include <deal.II/lac/sparse_ilu.h>", INCLUDE),
             replace(INNER, "using type = adamant::DealiiPreconditioner<>;"),
             replace(INNER_SET_UP,
                     "A_preconditioner->initialize(system_matrix.block(0, 0), dof_handler, constraints, velocities);")],
    ml=[after("#include <deal.II/lac/sparse_ilu.h>", "#include <deal.II/lac/trilinos_precondition.h>"),
        replace("int main()", "int main(int argc, char *argv[])"), MPI,
        replace(INNER, "using type = TrilinosWrappers::PreconditionAMG;"),
        replace(INNER_SET_UP,
                f"TrilinosWrappers::PreconditionAMG::AdditionalData data({WITH_Q2});",
                "DoFTools::extract_constant_modes(dof_handler, fe.component_mask(velocities), data.constant_modes);",
                "A_preconditioner->initialize(system_matrix.block(0, 0), data);")],
    limit=400)

# The matrix of all steps on a mesh is one matrix, so the preconditioner is made once a mesh, that of ML, too.
STEP, ONCE = "solve_time_step(); output_results();", "if (timestep_number % 5 == 1)"
STEP_26 = Tutorial(
    "step-26",
    common=[after("#include <deal.II/numerics/matrix_tools.h>", '#include "clock.h"'),
            replace("const unsigned int n_adaptive_pre_refinement_steps = 4;",
                    "const unsigned int n_adaptive_pre_refinement_steps = 6;"),
            either(replace("while (time <= 0.5)", "while (timestep_number < 50)"),
                   replace("while (time <= end_time)", "while (timestep_number < 50)")),
            no_output("void HeatEquation<dim>::output_results() const"),
            *watched("cg.solve(system_matrix, solution, system_rhs, preconditioner);", STEP, "solution")],
    adamant=[after("#include <deal.II/numerics/matrix_tools.h>", INCLUDE),
             after("SparseMatrix<double> system_matrix;", MULTIGRID),
             replace(SSOR), replace(RELAXATION.replace("1.2", "1.0")), before(STEP, f"{ONCE} {ON_MESH}")],
    ml=[after("#include <deal.II/numerics/matrix_tools.h>", "#include <deal.II/lac/trilinos_precondition.h>"),
        replace("int main()", "int main(int argc, char *argv[])"), MPI,
        after("SparseMatrix<double> system_matrix;", "TrilinosWrappers::PreconditionAMG preconditioner;"),
        replace(SSOR), replace(RELAXATION.replace("1.2", "1.0")),
        before(STEP, f"{ONCE} preconditioner.initialize(system_matrix);")],
    limit=10)

# deal.II takes PETSc where it has both. Both have their own SolverCG, which takes adamant through an adapter.
OUTPUT = "void LaplaceProblem<dim>::output_results(const unsigned int cycle)"


def step_40(library, name, define, ml):
    last_include = "#include <deal.II/distributed/grid_refinement.h>"
    return Tutorial(
        "step-40", name=name, ranks=(1, 2),
        common=[*define, after(last_include, '#include "clock.h"'), to_one_tolerance("dof_handler.n_dofs()"),
                replace("const unsigned int n_cycles = 8;", "const unsigned int n_cycles = 7;"),
                either(no_output(OUTPUT + " const"), no_output(OUTPUT)),
                *watched("solver.solve(system_matrix, completely_distributed_solution, system_rhs, preconditioner);",
                         CONTROL, "completely_distributed_solution")],
        adamant=[after(last_include, f'#include "dealii/{library.lower()}.h"'),
                 replace("LA::MPI::PreconditionAMG preconditioner;"),
                 replace("""LA::MPI::PreconditionAMG::AdditionalData data;
                            #ifdef USE_PETSC_LA
                            data.symmetric_operator = true;
                            #else
                            #endif"""),
                 replace("preconditioner.initialize(system_matrix, data);",
                         "adamant::DealiiPreconditioner<> multigrid;",
                         "multigrid.initialize(system_matrix, dof_handler, constraints);",
                         f"const adamant::{library}Preconditioner preconditioner(multigrid, system_matrix);")],
        ml=ml, limit=8)


TUTORIALS = [STEP_6, STEP_8, STEP_15, STEP_22, STEP_26,
             step_40("Trilinos", "step-40", [before("#include <deal.II/lac/generic_linear_algebra.h>",
                                                    "#define FORCE_USE_OF_TRILINOS")],
                     [after("LA::MPI::PreconditionAMG::AdditionalData data;", "data.higher_order_elements = true;")]),
             step_40("PETSc", "step-40, PETSc", [], None)]
