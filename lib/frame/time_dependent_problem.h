#pragma once

#include "algebra/device.h"
#include "base/run_record.h"
#include "fem/meshes/mesh.h"
#include "frame/adaptivity.h"
#include "frame/parameters/time_parameters.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"
#include "frame/section.h"
#include "solvers/control.h"

#include <deal.II/base/function.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/tria.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
template <int dim>
class Field;
template <int dim>
class FieldOutput;
template <int dim>
class Form;
class LinearSolver;
class LinearSolverParameters;
struct LevelMeshOptions;
template <int dim>
class MeshChange;
class Run;
struct RunSize;
class TimeSeries;
template <int dim>
class Unknown;

/// A program that takes time steps. The program gives the equation by the virtual functions below, listed in the order
/// of their calls. This class does the mesh, the time loop, checkpoints, files and the record. A stationary problem has
/// one step.
template <int dim>
class TimeDependentProblem
{
public:
  /// `mesh` are the parameters from which make_mesh() makes the mesh: MeshFileParameters, MeshParameters, or others
  /// that have curved(), manifolds<dim>(), check_refinement(mesh), check_mapping(mesh, mapping), join_periodic(mesh)
  /// and parts(...) with the same meaning. With elements of `degree` 2 or more, cells at curved boundaries are mapped
  /// by quadratic functions (isoparametric). Else all cells are mapped by bilinear ones.
  template <class Mesh>
  TimeDependentProblem(const Device &device, Run &run, const Schedule &schedule, const AdaptivityOptions &adaptivity,
                       const Mesh &mesh, unsigned int degree = 1)
    : TimeDependentProblem(device, run, schedule, adaptivity, mesh.curved() ? std::min(degree, 2U) : 1,
                           Shape([&mesh] { return mesh.template manifolds<dim>(); }))
  {
    join_periodic = [&mesh](dealii::Triangulation<dim> &stored) { mesh.join_periodic(stored); };
    mesh.check_refinement(*this->mesh);
    check_mapping = [this, &mesh] { mesh.check_mapping(*this->mesh, mapping); };
    mesh_parts    = [this, &mesh](const std::string &file) { return mesh.parts(*this->mesh, mapping, file); };
  }
  virtual ~TimeDependentProblem();
  TimeDependentProblem(const TimeDependentProblem &)            = delete;
  TimeDependentProblem &operator=(const TimeDependentProblem &) = delete;

  /// Runs the program: set-up or checkpoint, all time steps, the record.
  void run();

protected:
  /// @name The equation
  /// @{

  /// Makes the mesh from an empty one. It is not called where a checkpoint has the mesh.
  virtual void make_mesh() = 0;
  /// Refines the mesh where that needs solutions; called after make_mesh.
  virtual void adapt_mesh() {}
  /// Makes the fields, forms, solvers and vectors on the mesh: all that a checkpoint does not hold. It calls
  /// `describe`, and at time 0 may still change the schedule. It is called again whenever the mesh has changed. By
  /// default it calls setup_fields(), for fields, vectors and points, and then assemble(), for matrices and solvers.
  virtual void setup()
  {
    timed("init/hierarchy", [this] { setup_fields(); });
    timed("init/assembly", [this] { assemble(); });
  }
  virtual void setup_fields() {}
  virtual void assemble() {}
  /// Sets the state at time 0. It is not called where a checkpoint has the state.
  virtual void set_initial_values() {}
  /// Returns the end of the next time step, whose number is `step` already; by default the schedule's steps are equal.
  virtual double next_time() { return step * schedule.step; }
  /// Takes one time step, to the state at `time`; `step` is its number already. Where the solve is only launched, and
  /// no function of the program makes the host wait, the next step is launched while this one runs on the GPU. By
  /// default it calls compute_rhs() and returns the result of solve_system().
  virtual PendingResult advance()
  {
    timed("rhs", [this] { compute_rhs(); });
    return timed("solve", [this] { return solve_system(); });
  }
  virtual void          compute_rhs() {}
  virtual PendingResult solve_system() { return {}; }
  /// Saves or loads the data from which advance() goes on, beside step and time. It loads from a checkpoint, to go
  /// back before a step, or on a new mesh, where it has to set prescribed values.
  virtual void serialize(State &state) = 0;
  /// Returns whether serialize() may refuse a new mesh by SolverError. The mesh before then stays, with all on it.
  virtual bool may_refuse_mesh() const { return false; }

  /// Returns whether the run ends before its last step, for example at a steady flow.
  virtual bool finished() const { return false; }
  /// Adds columns to the row of statistics.csv after a step. The row begins with step, time, iterations,
  /// initial_residual and residual.
  virtual void add_statistics(Statistics::Row &) {}
  /// Returns whether add_statistics reads data of this step that the next step changes, so that the host has to wait
  /// for it. Otherwise add_statistics may be called when the next step has begun, with this step's `step` and `time`.
  virtual bool statistics_wait() const { return true; }
  /// Adds results to the record and prints them; called at the end.
  virtual void report() {}

  /// Returns the device vectors that `write` needs, in its order; their number and sizes must not change. By default
  /// they are the vectors given to add_output.
  virtual std::vector<const Vector<double> *> output_vectors() const
  {
    std::vector<const Vector<double> *> vectors;
    for (const auto &output : outputs)
      vectors.push_back(output.u);
    return vectors;
  }
  /// Adds the state at time `t` to the series, from the `values` of the output_vectors in host memory. By default it
  /// writes the fields given to add_output. With a GPU it runs beside the next steps, in a thread of its own. So it may
  /// not read `time` or vectors of the device, and may not call timed().
  virtual void write(TimeSeries &series, double t, const std::vector<const double *> &values) const;
  /// Returns the field that the mesh follows; `name` is a parameter's value. By default it is one of the fields given
  /// to add_output.
  virtual FollowedField<dim> followed(const std::string &name) const;
  /// @}

  /// @name Functions and members for the equation
  /// @{

  /// Does a part of the work whose time counts under this name in the timing table and run.json. The functions above
  /// are parts already: "init/mesh", "init/hierarchy" (setup_fields), "init/assembly" (assemble), "init/initial
  /// values", "rhs" (compute_rhs), "solve" (solve_system), "statistics", "output" (write, report).
  template <class Work>
  auto timed(const std::string &part, const Work &work)
  {
    const Section scope(timer, part);
    return work();
  }
  /// Returns how many level meshes this solver needs, and on which ranks they live. There are levels down to
  /// `coarsest_cells` cells, by default as "Coarsest level cells" says, or the finest one alone where no multigrid is
  /// wanted. Run::cells_per_rank says how many cells a rank has. Where several elements share the meshes, `element` is
  /// the one with the most unknowns.
  LevelMeshOptions level_mesh_options(const LinearSolverParameters     &parameters,
                                      const dealii::FiniteElement<dim> &element, unsigned int coarsest_cells = 0) const;
  std::string      folder() const; ///< see Run; empty with --dry-run
  std::string      begin_output(); ///< see Run; returns the folder
  /// Prints and records the run's size: the cells of the mesh, the unknowns of the field, the levels, the solver.
  void describe(const Field<dim> &field, const Form<dim> &form, const LinearSolver &solver,
                const LinearSolverParameters &parameters, unsigned int extrapolation_order = 0);
  void describe(const Unknown<dim> &unknown, const Form<dim> &form, const LinearSolver &solver,
                unsigned int extrapolation_order = 0);
  /// Records the run's size. Where a solver is given, the record gets the time of its V-cycle at the end of the run.
  void describe(const RunSize &size, const LinearSolver *solver = nullptr);
  /// Returns the level beyond which no change of the mesh refines a cell; 0 where the mesh never changes.
  int largest_level() const { return adaptivity.largest_level(); }
  /// Returns how often the mesh has changed; in setup() of a continued run, too.
  unsigned int n_mesh_changes() const { return adaptivity.n_changes; }
  /// Returns a copy of a device vector in host memory; its time counts as "copy".
  Array<double> download(const Vector<double> &vector)
  {
    return timed("copy", [&] { return to_host(vector); });
  }
  /// Chooses, in setup(), what of the nodal values u is written; field and vector must keep their addresses. The three
  /// functions write a scalar field under its name, the vector fields that the field consists of, times factors (see
  /// FieldOutput), and a postprocessor's results.
  void add_output(const Field<dim> &field, const Vector<double> &u);
  void add_output(const Field<dim> &field, const Vector<double> &u, const std::vector<std::string> &names,
                  const std::vector<double> &factors = {});
  void add_output(const Field<dim> &field, const Vector<double> &u,
                  const std::shared_ptr<const dealii::DataPostprocessor<dim>> &postprocessor);
  /// Writes files and a checkpoint as after a last step, where the parameters want any. It is for a program whose step
  /// has failed, with the state, `step` and `time` as they were before.
  void write_last_state();
  /// Prints and records ‖u - exact‖ in L² for the nodal values u, by a Gauss rule of degree + 2 points; see l2_error.
  void report_l2_error(const Field<dim> &field, const Vector<double> &u, const dealii::Function<dim> &exact);

  const Device device;
  RunRecord   &record; ///< the run's, see Run
  Schedule     schedule;
  unsigned int step        = 0;  ///< number of the present step
  double       time        = 0.; ///< end of the present step
  double       output_time = 0.; ///< of the state that write() has; the program may be further

  std::unique_ptr<dealii::Triangulation<dim>> shape; ///< its manifolds are for a mesh from a checkpoint, see StoredMesh
  std::unique_ptr<dealii::Triangulation<dim>> mesh;
  const dealii::MappingQ<dim>                 mapping;
  /// @}

private:
  friend class Unknown<dim>;

  /// Makes the coarse mesh whose manifolds place new vertices of a mesh from a checkpoint, which stores none; null:
  /// cells are straight. A serial mesh gets manifolds only where it may change, or the mapping needs them.
  using Shape = std::function<std::unique_ptr<dealii::Triangulation<dim>>()>;
  TimeDependentProblem(const Device &device, Run &run, const Schedule &schedule, const AdaptivityOptions &adaptivity,
                       unsigned int mapping_degree, const Shape &manifolds);

  void begin();
  bool adapt_to_initial_values(); // returns whether the mesh changes
  void change_mesh();
  void set_up_anew(MeshChange<dim> &change);
  void set_up_on_mesh();
  void save(CheckpointWriter::Archive &archive); // the mesh and all on it
  void load(CheckpointReader::Archive &archive);
  bool waits() const;
  bool due(unsigned int interval) const { return interval > 0 && (schedule.due(interval, step) || finished()); }
  bool output_due() const { return due(schedule.output_interval) && (step > 0 || schedule.initial_output); }
  void end_step();
  void write_output();
  void write_checkpoint();
  void wait_for_output();
  void serialize_all(State &state);

  using Show = std::function<void(FieldOutput<dim> &output, const LevelSpace<dim> &space, const double *values)>;
  struct Output
  {
    const Field<dim>     *field;
    const Vector<double> *u;
    std::vector<Show>     shows;

    std::map<std::string, dealii::ComponentMask> components = {}; // components of the fields written, by name
  };
  Output &show(const Field<dim> &field, const Vector<double> &u, const Show &show)
  {
    auto output = std::find_if(outputs.begin(), outputs.end(), [&](const Output &other) { return other.u == &u; });
    if (output == outputs.end())
      output = outputs.insert(output, {&field, &u, {}});
    output->shows.push_back(show);
    return *output;
  }
  struct Step
  {
    unsigned int  number = 0; // 0: none
    double        time   = 0.;
    PendingResult result = {};
  };
  Run                  &run_info;
  SectionTimer         &timer;               // the run's
  const LinearSolver   *described = nullptr; // whose V-cycle is measured at the end
  Step                  under_way;           // the step that the host has launched but not seen the end of
  std::vector<Output>   outputs;
  std::vector<Snapshot> snapshots; // of the output_vectors
  Adaptivity<dim>       adaptivity;
  const Shape           manifolds;
  std::function<void()> check_mapping;                             // of the mesh on which setup() is called
  std::function<std::string(const std::string &)>   mesh_parts;    // MeshFileParameters::parts for a file
  std::function<void(dealii::Triangulation<dim> &)> join_periodic; // of a mesh from a checkpoint
  std::unique_ptr<TimeSeries>                       series;        // last member: its destructor waits for its task
};
} // namespace adamant
