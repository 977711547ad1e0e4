/** Settings of an assistant that one turn tries instead of the stored ones. */
export type Tried = {
  /** Contents of blocks as texts, by the ids of the blocks. */
  contents?: ReadonlyMap<string, string> | undefined
  /** Held versions count instead of the current ones: all of the assistant, or these, by the ids of their blocks. */
  held?: true | ReadonlyMap<string, string> | undefined
  model?: string | undefined
  knowledge_node_ids?: string[] | undefined
  is_active?: true | undefined
}

/** The assistant as it is tried. */
export function asTried<Row extends { model: string; knowledge_node_ids: string[]; is_active: boolean }>(
  row: Row,
  { model, knowledge_node_ids, is_active }: Tried = {},
): Row {
  return {
    ...row,
    model: model ?? row.model,
    knowledge_node_ids: knowledge_node_ids ?? row.knowledge_node_ids,
    is_active: is_active ?? row.is_active,
  }
}
