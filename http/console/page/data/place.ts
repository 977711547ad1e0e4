/** A place of the console, as the address names it. Each section reads its own part of it. */
export type Place = {
  /** `start` without an address; `nowhere` when it is wrong; `ops` belongs to no project. */
  section: string
  project_id?: string | undefined
  /** The parts of the address after the section, decoded. */
  path: string[]
  query: Record<string, string>
}
