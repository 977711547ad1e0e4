/** Metrics of the process, which prom-client registers under their usual names and with its own texts. */
import type { MetricGroup } from './metric.ts'

const seconds = { type: 'gauge', unit: 'seconds' } as const
const bytes = { type: 'gauge', unit: 'bytes' } as const
const number = { type: 'gauge', unit: '' } as const
const delay = (which: string) => ({ ...seconds, help: `The ${which} of the recorded event loop delays.` }) as const
const percentile = (nth: number) => delay(`${nth}th percentile`)
const heap_space = (which: string) =>
  ({
    ...bytes,
    help: `Process heap space size ${which} from Node.js in bytes.`,
    labels: { space: 'heap spaces of V8' },
  }) as const

export const PROCESS = {
  title: 'The process',
  owner: 'http/server/metrics.ts',
  metrics: {
    process_cpu_seconds_total: {
      type: 'counter',
      unit: 'seconds',
      help: 'Total user and system CPU time spent in seconds.',
      semantic: 'process.cpu.time',
    },
    process_cpu_user_seconds_total: {
      type: 'counter',
      unit: 'seconds',
      help: 'Total user CPU time spent in seconds.',
    },
    process_cpu_system_seconds_total: {
      type: 'counter',
      unit: 'seconds',
      help: 'Total system CPU time spent in seconds.',
    },
    process_resident_memory_bytes: {
      ...bytes,
      help: 'Resident memory size in bytes.',
      semantic: 'process.memory.usage',
    },
    process_virtual_memory_bytes: {
      ...bytes,
      help: 'Virtual memory size in bytes.',
      semantic: 'process.memory.virtual',
    },
    process_heap_bytes: { ...bytes, help: 'Process heap size in bytes.' },
    process_open_fds: {
      ...number,
      help: 'Number of open file descriptors.',
      semantic: 'process.open_file_descriptor.count',
    },
    process_max_fds: { ...number, help: 'Maximum number of open file descriptors.' },
    process_start_time_seconds: { ...seconds, help: 'Start time of the process since unix epoch in seconds.' },
    nodejs_version_info: {
      ...number,
      help: 'Node.js version info.',
      labels: {
        version: 'versions of Node.js',
        major: 'versions of Node.js',
        minor: 'versions of Node.js',
        patch: 'versions of Node.js',
      },
    },
    nodejs_eventloop_lag_seconds: { ...seconds, help: 'Lag of event loop in seconds.' },
    nodejs_eventloop_lag_min_seconds: { ...seconds, help: 'The minimum recorded event loop delay.' },
    nodejs_eventloop_lag_max_seconds: { ...seconds, help: 'The maximum recorded event loop delay.' },
    nodejs_eventloop_lag_mean_seconds: { ...delay('mean'), semantic: 'nodejs.eventloop.delay.mean' },
    nodejs_eventloop_lag_stddev_seconds: delay('standard deviation'),
    nodejs_eventloop_lag_p50_seconds: { ...percentile(50), semantic: 'nodejs.eventloop.delay.p50' },
    nodejs_eventloop_lag_p90_seconds: { ...percentile(90), semantic: 'nodejs.eventloop.delay.p90' },
    nodejs_eventloop_lag_p99_seconds: { ...percentile(99), semantic: 'nodejs.eventloop.delay.p99' },
    nodejs_gc_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
      labels: { kind: ['major', 'minor', 'incremental', 'weakcb'] },
      semantic: 'v8js.gc.duration',
    },
    nodejs_heap_size_total_bytes: { ...bytes, help: 'Process heap size from Node.js in bytes.' },
    nodejs_heap_size_used_bytes: { ...bytes, help: 'Process heap size used from Node.js in bytes.' },
    nodejs_external_memory_bytes: { ...bytes, help: 'Node.js external memory size in bytes.' },
    nodejs_heap_space_size_total_bytes: heap_space('total'),
    nodejs_heap_space_size_used_bytes: heap_space('used'),
    nodejs_heap_space_size_available_bytes: heap_space('available'),
    nodejs_active_resources: {
      ...number,
      help: 'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
      labels: { type: 'types of Node.js' },
    },
    nodejs_active_handles: {
      ...number,
      help: 'Number of active libuv handles grouped by handle type. Every handle type is C++ class name.',
      labels: { type: 'types of Node.js' },
    },
    nodejs_active_requests: {
      ...number,
      help: 'Number of active libuv requests grouped by request type. Every request type is C++ class name.',
      labels: { type: 'types of Node.js' },
      is_rare: true,
    },
  },
} as const satisfies MetricGroup
