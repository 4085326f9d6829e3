# A configuration to try pgmpi_check.py with, on the virtual nodes of testdata/slurm/up.
site_configuration = {
    'systems': [{
        'name': 'virtual', 'hostnames': ['.*'], 'modules_system': 'nomod',
        'partitions': [{
            'name': 'main', 'scheduler': 'squeue', 'launcher': 'local', 'environs': ['mpi'],
            'access': ['--partition=main'], 'max_jobs': 1, 'processor': {'num_cpus': 2},
        }],
    }],
    'environments': [{'name': 'mpi'}],
}
