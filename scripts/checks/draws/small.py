"""The keys that make a run long, with values that make it short. Runs of the test of mutations and of the check
`random` begin with them."""

SMALL = {
    "transport_diffusion": ["Discretization/Refinements=2", "Discretization/Adaptive cycles=1",
                            "Time stepping/End time=0",
                            "Time stepping/Time step=0.1"],
    "elasticity": ["Discretization/Coarse cells=1, 1, 1", "Discretization/Lengths=1, 1, 1",
                   "Discretization/Uniform refinements=1", "Discretization/Refinement steps=1",
                   "Time stepping/End time=0.1", "Time stepping/Time step=0.1",
                   "Output/Points=0.5, 0.5, 0.5"],
    "solid": ["Mesh/Cells=1, 1, 1", "Mesh/Refinements=1", "Mesh/Local refinements=0", "Time stepping/Load steps=1",
              "Problem/Body force=0; -0.1; 0"],
    "navier_stokes": ["Mesh/Cells=1, 1, 1", "Mesh/Refinements=1", "Mesh/Local refinements=0",
                      "Time stepping/End time=0",
                      "Time stepping/Time step=1e-6", "Output/Profile points=3"],
    "poisson": ["Mesh/Cells=1, 1, 1", "Mesh/Refinements=2", "Mesh/Local refinements=0", "Problem/Samples=2",
                "Solver/Columns at once=2",
                "Solver/Repetitions=1", "Schur complement/Coarse refinements=1"],
    "stokes": ["Mesh/Cells=1, 1, 1", "Mesh/Refinements=2", "Mesh/Local refinements=0", "Refinement/For viscosity=0",
               "Refinement/For velocity=0", "Viscosity/Continuation stages=1"],
    "stationary_navier_stokes": ["Mesh/Cells=1, 1, 1", "Mesh/Refinements=2", "Mesh/Local refinements=0",
                                 "Refinement/Cycles=0",
                                 "Nonlinear solver/Continuation=", "Output/Profile points=3"],
    "template": ["Heat/Refinements=2", "Heat/Adaptive cycles=1", "Heat/End time=0", "Heat/Time step=0.1"],
    "nonlinear_heat": ["Heat/Refinements=2", "Heat/Adaptive cycles=1", "Heat/End time=0", "Heat/Time step=0.1"],
    "buoyant_flow": ["Mesh/Cells=1, 1, 1", "Mesh/Refinements=2", "Mesh/Local refinements=0", "Time stepping/Steps=1"],
}
