# two atoms of helium on a grid that the ranks divide
from ase import Atoms
from gpaw import GPAW
atoms = Atoms('He2', positions=[(1.8, 1.8, 1.2), (1.8, 1.8, 2.4)], cell=(3.6, 3.6, 3.6), pbc=True)
atoms.calc = GPAW(mode='fd', h=0.3, txt=None, maxiter=15, parallel={'domain': 2},
                  convergence={'density': 1, 'energy': 1, 'eigenstates': 1})
print(atoms.get_potential_energy())
