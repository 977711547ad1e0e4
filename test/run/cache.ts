/** Directories that runs keep for later ones. Two runs may make the same one at once. */
import { existsSync, renameSync, rmSync } from 'node:fs'

/** Moves a finished draft to its place, or removes the draft when another run was faster. */
export function keepDraft(draft: string, place: string): void {
  try {
    renameSync(draft, place)
  } catch (error) {
    if (!existsSync(place)) throw error
    rmSync(draft, { recursive: true, force: true })
  }
}
