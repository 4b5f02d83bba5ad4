#pragma once

#include "application/adaptivity.h"
#include "application/device_field.h"
#include "application/field_output.h"
#include "application/linear_solver_setup.h"
#include "application/output.h"
#include "application/run.h"
#include "application/state.h"
#include "application/time_parameters.h"
#include "discretization/meshes/mesh.h"

#include <deal.II/base/function.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/tria.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// A program that takes time steps: it gives the equation, the virtual functions below, in the order in which they are
/// called; mesh, time loop, checkpoints, files and record are done here. A stationary problem is one with one step.
template <int dim>
class TimeDependentProblem
{
public:
  /// `mesh` are the parameters that make_mesh() has it from: MeshFileParameters, MeshParameters, or others that know
  /// manifolds<dim>() and check_refinement(mesh) as these do.
  template <class Mesh>
  TimeDependentProblem(const Device &device, Run &run, const Schedule &schedule, const AdaptivityOptions &adaptivity,
                       const Mesh &mesh)
    : TimeDependentProblem(device, run, schedule, adaptivity, Shape([&mesh] { return mesh.template manifolds<dim>(); }))
  {
    mesh.check_refinement(*this->mesh);
  }
  virtual ~TimeDependentProblem()                               = default;
  TimeDependentProblem(const TimeDependentProblem &)            = delete;
  TimeDependentProblem &operator=(const TimeDependentProblem &) = delete;

  /// The program: set-up or checkpoint, all time steps, the record.
  void run();

protected:
  /// @name The equation
  /// @{

  /// Makes the mesh from an empty one, in the Section "init/mesh"; not called where a checkpoint has it.
  virtual void make_mesh() = 0;
  /// Refinement that needs solutions, after make_mesh.
  virtual void adapt_mesh() {}
  /// Fields, forms, solvers and vectors on the mesh: all that a checkpoint does not hold. It calls `describe`, and at
  /// time 0 may still change the schedule. Called again whenever the mesh has changed.
  virtual void setup() = 0;
  /// The state at time 0; not called where a checkpoint has it.
  virtual void set_initial_values() = 0;
  /// The end of the time step that follows, which `step` counts already; by default the schedule's steps are equal.
  virtual double next_time() { return step * schedule.step; }
  /// One time step, to the state at `time`; `step` counts it already. Where its solve is only launched, and nothing of
  /// the program needs the host to wait, the next step is launched while this one runs on the GPU.
  virtual PendingResult advance() = 0;
  /// What advance() goes on from, saved or loaded, beside step and time; loaded from a checkpoint, or on a new mesh,
  /// where prescribed values have to be set.
  virtual void serialize(State &state) = 0;

  /// Whether the run ends before its last step, as a steady flow.
  virtual bool finished() const { return false; }
  /// Further columns of statistics.csv after a step; it begins with step, time, iterations, initial_residual and
  /// residual.
  virtual void add_statistics(Statistics::Row &) {}
  /// Whether add_statistics takes of this step what the next one changes, so that the host has to wait for it. Else it
  /// may be called when the next one is under way, with `step` and `time` as they were.
  virtual bool statistics_wait() const { return true; }
  /// At the end: results for run.record and the screen.
  virtual void report() {}

  /// The device vectors that `write` needs, in its order; their number and sizes stay. By default those given to
  /// add_output.
  virtual std::vector<const Vector<double> *> output_vectors() const;
  /// Adds the state at `t` to the series, from the values of the output_vectors in host memory: by default what was
  /// given to add_output. With a GPU it runs beside the next steps, in a thread of its own: it reads neither `time` nor
  /// vectors of the device, and opens no Section.
  virtual void write(TimeSeries &series, double t, const std::vector<const double *> &values) const;
  /// What the mesh follows, by the name that the parameters give: one of those given to add_output.
  virtual FollowedField<dim> followed(const std::string &name) const;
  /// Whether this step's state, or the initial one, is written.
  virtual bool output_due() const;
  /// @}

  /// @name For its functions
  /// @{

  /// Prints and records what the run is: the cells of the mesh, the unknowns of the field, the levels, the solver.
  void describe(const Field<dim> &field, const Form<dim> &form, const LinearSolver &solver,
                const LinearSolverParameters &parameters, unsigned int extrapolation_order = 0);
  /// Beyond this level no change of the mesh refines a cell; 0 where the mesh stays.
  int largest_level() const { return adaptivity.largest_level(); }
  /// How often the mesh has changed, in setup() of a run that is continued, too.
  unsigned int n_mesh_changes() const { return adaptivity.n_changes; }
  /// The values of a vector in host memory, in the Section "copy".
  Array<double> download(const Vector<double> &vector);
  /// In setup(), what of the nodal values u is to be written; field and vector have to stay where they are: a scalar
  /// field, under its name; the vector fields that the field consists of, times factors, see FieldOutput; what a
  /// postprocessor makes of them.
  void add_output(const Field<dim> &field, const Vector<double> &u);
  void add_output(const Field<dim> &field, const Vector<double> &u, const std::vector<std::string> &names,
                  const std::vector<double> &factors = {});
  void add_output(const Field<dim> &field, const Vector<double> &u,
                  const std::shared_ptr<const dealii::DataPostprocessor<dim>> &postprocessor);
  /// Prints and records ‖u - exact‖ in L² for the nodal values u, by a Gauss rule of degree + 2 points; see l2_error.
  void report_l2_error(const Field<dim> &field, const Vector<double> &u, const dealii::Function<dim> &exact);

  const Device device;
  Run         &run_info;
  Schedule     schedule;
  unsigned int step = 0;  ///< the present one
  double       time = 0.; ///< at its end

  std::unique_ptr<dealii::Triangulation<dim>> shape; ///< whose manifolds a mesh from a checkpoint has, see StoredMesh
  std::unique_ptr<dealii::Triangulation<dim>> mesh;
  dealii::MappingQ1<dim>                      mapping;
  /// @}

private:
  /// The coarse mesh with the manifolds that place new vertices of a mesh from a checkpoint, which has none; null:
  /// straight. A serial mesh gets them only where it may change.
  using Shape = std::function<std::unique_ptr<dealii::Triangulation<dim>>()>;
  TimeDependentProblem(const Device &device, Run &run, const Schedule &schedule, const AdaptivityOptions &adaptivity,
                       const Shape &manifolds);

  void begin();
  void load_mesh();
  void adapt_to_initial_values();
  void change_mesh();
  void adapt_to_solution();
  void set_up_anew(MeshChange<dim> &change);

  std::array<double, 2> timed_mass(const FollowedField<dim> &field);
  std::string           size_of_mesh() const; // for the live line
  PendingResult         launch_step();
  bool                  waits() const;
  bool                  statistics_due() const;
  void                  end_step();
  void                  write_statistics(const SolverResult &result);
  void                  write_output();
  void                  wait_for_output();
  void                  write_checkpoint();
  void                  serialize_all(State &state); // step, time and files, and what the program keeps

  using Show = std::function<void(FieldOutput<dim> &output, const LevelSpace<dim> &space, const double *values)>;
  struct Output
  {
    const Field<dim>     *field;
    const Vector<double> *u;
    std::vector<Show>     shows;

    std::map<std::string, dealii::ComponentMask> components = {}; // of what is shown, by name
  };
  struct Step
  {
    unsigned int  number = 0; // 0: none
    double        time   = 0.;
    PendingResult result = {};
  };
  Step                  under_way; // whose end the host has not seen
  Output               &show(const Field<dim> &field, const Vector<double> &u, const Show &show);
  std::vector<Output>   outputs;
  std::vector<Snapshot> snapshots; // of the output_vectors
  Adaptivity<dim>       adaptivity;
  const Shape           manifolds;
  TimeSeries            series; // last: its end waits for what it writes
};
} // namespace adamant
