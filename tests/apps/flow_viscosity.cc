// Viscosities of the flow programs: by material, and as functions of place, against exact solutions.
#include "restart.h"
#include "two_layers.h"

#include <cmath>
#include <string>
#include <vector>

namespace
{
// On the layers, periodic in x: a lid that moves, or a force along x. Viscosities are 1 below and 3 above.
const Settings layers  = {"Mesh/File=layers.msh", "Mesh/Periodic boundaries=left: right"},
               lid     = {"Problem/Boundary velocity=top: 1; 0", "Problem/Body force=0; 0",
                          "Problem/Exact velocity=if(y<0.5,1.5*y,0.5+0.5*y); 0"},
               force   = {"Problem/Boundary velocity=", "Problem/Body force=1; 0",
                          "Problem/Exact velocity=if(y<0.5,3/8*y-y^2/2,y/8-y^2/6+1/24); 0"},
               by_list = {"Problem/Viscosity=oil: 1, 6: 3"}, by_place = {"Problem/Viscosity=if(y<0.5,1,3)"};

// A flow with ν = 1 + x y, u = (x² y, -x y²) and p = x + y - 1.
Settings smooth()
{
  const std::string u = "x^2*y; -x*y^2";
  return {"Problem/Viscosity=1+x*y", "Problem/Boundary velocity=0: " + u + ", 1: " + u + ", 2: " + u + ", 3: " + u,
          "Problem/Exact velocity=" + u, "Problem/Exact pressure=x+y-1",
          "Problem/Body force=1-2*y*(1+x*y)-3*x*y^2-x^3+x^3*y^2; 1+2*x*(1+x*y)+3*x^2*y+y^3+x^2*y^3"};
}

class FlowViscosity : public OnTwoLayers<RestartedProgram>
{
protected:
  explicit FlowViscosity(const std::string &executable)
    : OnTwoLayers(executable, layers + Settings{"Mesh/Refinements=1"})
  {}

  static double error(const Outcome &outcome, const char *of = "u_l2") { return outcome.record.at("errors").at(of); }

  // The statistics are of size 1, or zero but for rounding.
  void expect_equal(const Outcome &a, const Outcome &b, double tolerance = 1e-12)
  {
    for (const auto &[name, value] : a.record.at("statistics").items())
      EXPECT_NEAR(value.get<double>(), b.record.at("statistics").at(name).get<double>(), tolerance) << name;
  }

  void expect_list_refused(const Settings &common, const std::string &list, const std::string &message)
  {
    OnTwoLayers::expect_list_refused(common, "Problem/Viscosity=" + list, message);
  }
};

class ViscosityOfStokes : public FlowViscosity
{
protected:
  ViscosityOfStokes()
    : FlowViscosity(STOKES)
  {}
  Outcome solve(const Settings &more)
  {
    return run(
      Settings{"Problem/Case=expressions", "Output/Files=false", "Linear solver/Tolerance=1e-12",
               "Output/Statistics=max u_x; integral speed; integral p over material oil; force on boundary bottom",
               "Mesh/Refinements=2"} +
        layers + more,
      2);
  }
};

TEST_F(ViscosityOfStokes, TwoLayers)
{
  const Settings q2 = {"Discretization/Velocity=q2", "Mesh/Refinements=1"};
  EXPECT_LE(error(solve(lid + by_list)), 1e-9);
  EXPECT_LE(error(solve(force + by_list + q2)), 1e-9);
  EXPECT_LE(error(solve(force + by_list + q2 + Settings{"Viscosity/Finest average=none"})), 1e-9);
  const auto coarse = solve(force + by_list + Settings{"Mesh/Refinements=1"}), fine = solve(force + by_list);
  EXPECT_NEAR(error(coarse) / error(fine), 4., 0.01);
  EXPECT_NEAR(coarse.record.at("statistics").at("max_u_x"), 9. / 128., 1e-9) << "exact at the nodes";
}

TEST_F(ViscosityOfStokes, AListIsAFunctionOfPlace)
{
  const Settings adapted = {"Refinement/For viscosity=1", "Refinement/For velocity=1", "Mesh/Refinements=1"};
  const auto     list    = solve(force + by_list + adapted);
  EXPECT_GT(list.record.at("hanging_nodes"), 0);
  const auto place = solve(force + by_place + adapted);
  EXPECT_EQ(list.record.at("dofs"), place.record.at("dofs"));
  expect_equal(list, place);
  expect_equal(solve(lid + Settings{"Problem/Viscosity=oil: 2, 2"}), solve(lid + Settings{"Problem/Viscosity=2"}));
  before = "mpirun --oversubscribe --bind-to none -np 3";
  expect_equal(solve(force + by_list + adapted + Settings{"Ranks/Distributed mesh=true"}), list, 1e-8);
}

TEST_F(ViscosityOfStokes, MistakesAreRefused)
{
  const Settings common = {"Problem/Case=expressions"};
  expect_list_refused(common, "oil: 1, watr: 3", "water");
  expect_list_refused(common, "oil: 1", "there is no entry for material 6");
  expect_list_refused(common, "oil: 1, water: y-0.7", "it has to be positive");
}

class ViscosityOfStationaryFlow : public FlowViscosity
{
protected:
  ViscosityOfStationaryFlow()
    : FlowViscosity(STATIONARY)
  {}
  Outcome solve(const Settings &more)
  {
    return run(Settings{"Output/Files=false", "Nonlinear solver/Tolerance=1e-12", "Output/Force boundaries=3",
                        "Output/Statistics=max u_x; integral speed; integral p over domain; force on boundary 3; "
                        "mean wall_shear on boundary 3"} +
                 more,
               2);
  }
};

TEST_F(ViscosityOfStationaryFlow, TwoLayers)
{
  const Settings refined = {"Mesh/Refinements=2"};
  const auto     couette = solve(layers + lid + by_list + refined);
  EXPECT_LE(error(couette), 1e-9);
  EXPECT_NEAR(couette.record.at("statistics").at("mean_wall_shear_on_boundary_3"), 1.5, 1e-8);
  EXPECT_NEAR(couette.record.at("forces").at("3")[0], 1.5, 1e-8);
  const auto coarse = solve(layers + force + by_list + refined),
             fine   = solve(layers + force + by_list + Settings{"Mesh/Refinements=3"});
  EXPECT_NEAR(error(coarse) / error(fine), 4., 0.01);
  EXPECT_NEAR(fine.record.at("statistics").at("max_u_x"), 9. / 128., 1e-9) << "exact at the nodes";
  EXPECT_NEAR(fine.record.at("forces").at("3")[0], 0.375, 1e-9);
}

TEST_F(ViscosityOfStationaryFlow, IsOfSecondOrder)
{
  const auto coarse = solve(smooth() + Settings{"Mesh/Refinements=3"}),
             fine   = solve(smooth() + Settings{"Mesh/Refinements=4"});
  EXPECT_GT(error(coarse) / error(fine), 3.6);
  EXPECT_GT(error(coarse, "p_l2") / error(fine, "p_l2"), 2.5);
  EXPECT_LE(error(fine), 2e-3);
}

TEST_F(ViscosityOfStationaryFlow, AListIsAFunctionOfPlace)
{
  const Settings cycles = {"Refinement/Cycles=1", "Mesh/Refinements=2", "Linear solver/Coarsest level cells=16"};
  const auto     list   = solve(layers + lid + by_list + cycles);
  EXPECT_GT(list.record.at("hanging_nodes"), 0);
  expect_equal(list, solve(layers + lid + by_place + cycles));
  const Settings number = {"Problem/Viscosity=0.01", "Mesh/Refinements=2"};
  expect_equal(solve(layers + lid + number),
               solve(layers + lid + number + Settings{"Problem/Viscosity=oil: 0.01, 0.01"}));
  const auto thin =
    Settings{"Problem/Viscosity=oil: 1e-3, water: 3e-3", "Mesh/Refinements=2", "Nonlinear solver/Continuation=1e-2"};
  EXPECT_LE(error(solve(layers + lid + thin)), 1e-7);
  const auto blocks =
    solve(layers + force + by_list + Settings{"Mesh/Refinements=2", "Linear solver/Scheme=block_triangular"});
  EXPECT_NEAR(blocks.record.at("statistics").at("max_u_x"), 9. / 128., 1e-8);
}

TEST_F(ViscosityOfStationaryFlow, MistakesAreRefused)
{
  expect_list_refused({}, "oil: 1, 7: 2, 3", "the mesh has no material 7");
  expect_list_refused({}, "oil: 1, water: 2*q", "Problem/Viscosity");
  expect_list_refused({}, "0.5-y", "Problem/Viscosity is -");
  expect_list_refused({"Nonlinear solver/Continuation=0.5"}, "oil: 1, water: 1+x", "have to decrease");
}

class ViscosityOfNavierStokes : public FlowViscosity
{
protected:
  ViscosityOfNavierStokes()
    : FlowViscosity(NAVIER_STOKES)
  {}
  static Settings common()
  {
    return {"Output/Interval=0",
            "Output/Statistics interval=100",
            "Time stepping/Unstable step=shorten",
            "Time stepping/Time step=1",
            "Output/Force boundaries=3",
            "Output/Statistics=max u_x; integral speed; integral u_x over material oil; force on boundary 3; "
            "mean wall_shear on boundary 3"};
  }
  Outcome solve(const Settings &more) { return run(common() + more, 1); }
};

TEST_F(ViscosityOfNavierStokes, TwoLayers)
{
  const Settings steady = {"Mesh/Refinements=1", "Time stepping/End time=10", "Time stepping/Steady tolerance=1e-9"};
  for (const Settings &kernels : {Settings{}, Settings{"Implementation/Custom kernels=false"}})
    {
      const auto couette = solve(layers + lid + by_list + steady + kernels);
      EXPECT_TRUE(couette.record.at("steady"));
      EXPECT_LE(error(couette, "l2"), 1e-8);
      EXPECT_NEAR(couette.record.at("statistics").at("mean_wall_shear_on_boundary_3"), 1.5, 1e-7);
      EXPECT_NEAR(couette.record.at("forces").at("3")[0], 1.5, 1e-7);
      EXPECT_EQ(couette.record.at("viscosity").at("max"), 3.);
    }
  const auto poiseuille = solve(layers + force + by_list + steady);
  EXPECT_LE(error(poiseuille, "l2"), 1e-8) << "exact at the nodes";
  EXPECT_NEAR(poiseuille.record.at("forces").at("3")[0], 0.375, 1e-7);
}

TEST_F(ViscosityOfNavierStokes, IsOfSecondOrder)
{
  const Settings steady = {"Time stepping/End time=4", "Time stepping/Steady tolerance=1e-7", "Problem/Edges=moving",
                           "Problem/Initial velocity=x^2*y; -x*y^2", "Output/Statistics="};
  const auto     coarse = solve(smooth() + steady + Settings{"Mesh/Refinements=2"}),
             fine       = solve(smooth() + steady + Settings{"Mesh/Refinements=3"});
  EXPECT_GT(error(coarse, "l2") / error(fine, "l2"), 3.);
  EXPECT_GT(error(coarse, "pressure_l2") / error(fine, "pressure_l2"), 1.8);
}

TEST_F(ViscosityOfNavierStokes, AListIsAFunctionOfPlace)
{
  const Settings steps = {"Mesh/Refinements=1", "Time stepping/End time=0.01"};
  expect_equal(solve(layers + lid + by_list + steps), solve(layers + lid + by_place + steps));
  const auto with = [&](const std::string &viscosity) {
    return solve(layers + lid + steps + Settings{"Problem/Viscosity=" + viscosity});
  };
  expect_equal(with("0.01"), with("oil: 0.01, 0.01"));
  const Settings adaptive = layers + lid + by_list +
                            Settings{"Mesh/Refinements=1", "Time stepping/End time=0.005", "Adaptivity/Interval=5",
                                     "Adaptivity/Largest level=3", "Linear solver/Tolerance=1e-9"};
  const auto changing = solve(adaptive);
  EXPECT_GT(changing.record.at("hanging_nodes"), 0);
  before = "mpirun --oversubscribe --bind-to none -np 2";
  expect_equal(solve(adaptive + Settings{"Ranks/Distributed mesh=true"}), changing, 1e-8);
}

TEST_F(ViscosityOfNavierStokes, IsThatOfEachMeshAfterARestart)
{
  expect_restart_equals_uninterrupted(layers + lid + by_list +
                                      Settings{"Mesh/Refinements=1", "Time stepping/Time step=1e-4",
                                               "Time stepping/End time=0.0012", "Adaptivity/Interval=2",
                                               "Adaptivity/Largest level=3", "Output/Interval=3"});
}

TEST_F(ViscosityOfNavierStokes, MistakesAreRefused)
{
  expect_list_refused({}, "oil: 1+t, 1", "contains t");
  expect_list_refused({}, "oil: 1, water: 1/(y-0.5)-3", "Problem/Viscosity is -");
  expect_list_refused({}, "oil: 1, 2: 3, 4", "the mesh has no material 2");
}
} // namespace
