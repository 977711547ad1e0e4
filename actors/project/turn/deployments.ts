/** The places and times at which assistants of a project answer, kept in memory because every message of a person asks for them. */
import type { AssistantDeployment } from '../../../storage/mod.ts'

type OfAssistant = { is_active: boolean; rows: readonly AssistantDeployment[] }

export class Deployments {
  readonly #assistants = new Map<string, OfAssistant>()
  #ranked: AssistantDeployment[] | undefined
  #count = 0

  /** Those of inactive assistants, and switched off ones, count as well. */
  get count(): number {
    return this.#count
  }

  /** All of an assistant, in their order. */
  of(assistant_id: string): readonly AssistantDeployment[] {
    return this.#assistants.get(assistant_id)?.rows ?? []
  }

  /** `is_active`: that of the assistant. */
  set(assistant_id: string, rows: readonly AssistantDeployment[], is_active: boolean): void {
    this.#ranked = undefined
    this.#count += rows.length - this.of(assistant_id).length
    if (rows.length === 0) this.#assistants.delete(assistant_id)
    else this.#assistants.set(assistant_id, { is_active, rows })
  }

  /** The assistant was switched on or off. */
  switch(assistant_id: string, is_active: boolean): void {
    this.set(assistant_id, this.of(assistant_id), is_active)
  }

  /**
   * The active ones of active assistants, the most specific first: those that name channels, then those that name tags,
   * then those of the older assistant, in the order of its list.
   */
  get ranked(): readonly AssistantDeployment[] {
    this.#ranked ??= [...this.#assistants.values()]
      .flatMap(({ is_active, rows }) => (is_active ? rows.filter((row) => row.is_active) : []))
      .sort(
        (one, other) =>
          specificity(other) - specificity(one) ||
          (one.assistant_id === other.assistant_id
            ? one.position - other.position
            : one.assistant_id < other.assistant_id
              ? -1
              : 1),
      )
    return this.#ranked
  }
}

function specificity({ channel_ids, tag_ids }: AssistantDeployment): number {
  return (channel_ids.length > 0 ? 2 : 0) + (tag_ids.length > 0 ? 1 : 0)
}
