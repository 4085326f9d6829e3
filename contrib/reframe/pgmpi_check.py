"""The performance guidelines of an MPI library, as a ReFrame check.

pgmpi starts the ranks itself, so the launcher of the partition is left out; it
judges by itself too, so there is no reference to maintain: a test passes when
no more tests than most_violations find their guideline violated.

    reframe -C settings.py -c pgmpi_check.py -r -S pgmpi_check.rank=/opt/pgmpi/pgmpi-rank
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class pgmpi_check(rfm.RunOnlyRegressionTest):
    # Nodes, and processes on each.
    place = parameter([(1, 2), (2, 1)], fmt=lambda p: f'{p[0]}x{p[1]}', loggable=True)
    rank = variable(str, value='pgmpi-rank')  # the rank program
    options = variable(str, value='--method ci')  # more words for pgmpi check
    most_violations = variable(int, value=0)

    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'pgmpi'
    time_limit = '30m'
    exclusive_access = True
    keep_files = ['results']

    @run_after('init')
    def set_tasks(self):
        nodes, self.num_tasks_per_node = self.place
        self.num_tasks = nodes * self.num_tasks_per_node

    @run_before('run')
    def set_command(self):
        self.job.launcher = rfm_local_launcher()
        self.executable_opts = [
            'check', '--quiet', '--np', str(self.num_tasks), '--rank', self.rank,
            '--format', 'table,json', '--out', 'results', '--resume', self.options,
        ]

    def verdicts(self):
        with open(os.path.join(self.stagedir, 'results', 'report.json')) as f:
            return json.load(f)['verdicts']

    @sanity_function
    def has_verdicts(self):
        # Exit statuses 0 and 1 leave a report; the others mean that there is none, or
        # that it says nothing.
        report = os.path.join(self.stagedir, 'results', 'report.json')
        return sn.all([
            sn.assert_true(os.path.exists(report), 'pgmpi has left no report'),
            sn.assert_in(self.job.exitcode or 0, [0, 1]),
        ])

    @run_before('performance')
    def set_performance(self):
        def number(value, unit):
            return sn.make_performance_function(sn.defer(value), unit)

        all_verdicts = self.verdicts()
        violated = [v for v in all_verdicts if v['verdict'] == 'violated']
        undecided = [v for v in all_verdicts if v['verdict'] == 'undecided']
        self.perf_variables = {
            'violated': number(len(violated), 'tests'),
            'undecided': number(len(undecided), 'tests'),
            'worst_ratio': number(max((v['ratio'] or 1.0 for v in violated), default=1.0), 'x'),
        }
        for v in all_verdicts:
            if v['type'] == 'pattern' and v['median_s']:
                name = f"{v['function']}_{v['msize']}"
                self.perf_variables[name] = number(v['median_s'] * 1e6, 'us')
        self.reference = {'*': {'violated': (self.most_violations, None, 0, 'tests')}}


def rfm_local_launcher():
    from reframe.core.backends import getlauncher
    return getlauncher('local')()
