/**
 * Bounds the connections of a process by the files that it may open. A client keeps a connection for as long as it asks
 * something every ten seconds: without a bound, one address took all files within a minute, and the node could open
 * neither a file nor a connection to PostgreSQL.
 */
import { readFileSync } from 'node:fs'

/** A connection takes a few KiB of the kernel. */
const MAX = 100_000
/** The part of the files for connections of clients. */
const OF_FILES = 0.8
/** The part of the connections beyond which each answer ends its connection, so that others find a place. */
const CROWDED = 0.75

export class OpenConnections {
  readonly #most: number
  #open = 0
  /** Number of connections that were closed because there were too many. */
  refused = 0

  constructor(most = maxOfProcess()) {
    this.#most = most
  }

  get open(): number {
    return this.#open
  }

  get is_crowded(): boolean {
    return this.#open > this.#most * CROWDED
  }

  /** Counts a new connection, until `leave`. Returns false when it has to be closed. */
  enter(): boolean {
    this.#open++
    if (this.#open <= this.#most) return true
    this.refused++
    return false
  }

  leave(): void {
    this.#open--
  }
}

function maxOfProcess(): number {
  return Math.min(MAX, Math.floor(openFiles() * OF_FILES))
}

/** Maximum open files of this process; infinite where the system has no file that tells. */
function openFiles(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
