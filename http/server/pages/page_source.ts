/** The sources of a page of ours: a folder with modules and styles, from which `build.ts` makes the files for browsers. */
export type PageSource = {
  name: string
  /** Absolute. */
  directory: string
  /** Scripts and modules, each with all that it imports. An embedding page names them, so they keep their names. */
  scripts?: readonly string[]
  modules?: readonly string[]
  /** Each with all styles that it imports. */
  styles?: readonly string[]
  /**
   * Modules of the first view, the main one first. One file has them and all that they import. Modules that are
   * imported later are files of their own, beside it.
   */
  first?: readonly string[]
  /** Packages that stand for others, by the names in imports. */
  alias?: Readonly<Record<string, string>>
}

/** Contents by the names of files. */
export type BuiltFiles = Record<string, string>
