/**
 * Definitions of the CRM of a project, set up by operators: pipelines, tags and users of the project and its company,
 * event types, custom fields. They are small, read by nearly every CRM message and changed rarely. The project's actor
 * keeps them in memory, and reads them again when an operator has changed one (`refresh` of `crm`).
 */
import {
  batched,
  CrmEventType,
  CustomField,
  type CustomFieldOwner,
  type Database,
  isAgent,
  Pipeline,
  PipelineStage,
  readRows,
  Tag,
  User,
} from '../../../storage/mod.ts'

export type Definitions = {
  /**
   * The first stage of the default pipeline, for new tickets; undefined without a default pipeline that has a stage.
   */
  first_stage: PipelineStage | undefined
  /** The stages of all pipelines of the project. */
  stages: Map<string, PipelineStage>
  tags: Map<string, Tag>
  /** Users of the company, including deactivated ones, who may still have tickets. */
  users: Map<string, Pick<User, '_id' | 'full_name' | 'email' | 'is_active'> & { is_agent: boolean }>
  /** Keyed by `key`. */
  event_types: Map<string, CrmEventType>
  /** Keyed by `key`, for each kind of record. */
  custom_fields: Record<CustomFieldOwner, Map<string, CustomField>>
}

type Owner = { project_id: string; company_id: string }

/** Loads the definitions of a project. Projects that load at the same moment share the queries. */
export const loadDefinitions = batched(loadAll)

async function loadAll(database: Database, owners: Owner[]): Promise<Definitions[]> {
  const project_id = [...new Set(owners.map(({ project_id }) => project_id))]
  const company_id = [...new Set(owners.map(({ company_id }) => company_id))]
  const [pipelines, stages, tags, users, types, fields] = await Promise.all([
    readRows(database, Pipeline, { project_id }),
    readRows(database, PipelineStage, { project_id }),
    readRows(database, Tag, { project_id }),
    readRows(database, User, { company_id }),
    readRows(database, CrmEventType, { company_id }),
    readRows(database, CustomField, { company_id }),
  ])
  const ofProject = {
    pipelines: Map.groupBy(pipelines, inProject),
    stages: Map.groupBy(stages, inProject),
    tags: Map.groupBy(tags, inProject),
  }
  const ofCompany = {
    users: Map.groupBy(users, inCompany),
    types: Map.groupBy(types, inCompany),
    fields: Map.groupBy(fields, inCompany),
  }
  const companies = new Map(
    company_id.map((id) => {
      const { users, types, fields } = ofCompany
      return [id, definedBy(users.get(id) ?? [], types.get(id) ?? [], fields.get(id) ?? [])]
    }),
  )
  return owners.map(({ project_id, company_id }) => {
    const stages = ofProject.stages.get(project_id) ?? []
    const standard = ofProject.pipelines.get(project_id)?.find(({ is_default }) => is_default)
    const ofStandard = stages.filter(({ pipeline_id }) => pipeline_id === standard?._id)
    return {
      first_stage: ofStandard.sort((a, b) => a.position - b.position)[0],
      stages: byId(stages),
      tags: byId(ofProject.tags.get(project_id) ?? []),
      ...companies.get(company_id)!,
    }
  })
}

const inProject = ({ project_id }: { project_id: string }) => project_id
const inCompany = ({ company_id }: { company_id: string }) => company_id

/** Definitions of a company, shared by its projects that are read together. */
function definedBy(users: User[], types: CrmEventType[], fields: CustomField[]) {
  const owned = (owner: CustomFieldOwner) =>
    new Map(fields.filter((field) => field.owner === owner).map((field) => [field.key, field]))
  return {
    users: byId(
      users.map(({ _id, full_name, email, is_active, permissions }) => {
        return { _id, full_name, email, is_active, is_agent: isAgent({ is_active, permissions }) }
      }),
    ),
    event_types: new Map(types.map((type) => [type.key, type])),
    custom_fields: { contact: owned('contact'), ticket: owned('ticket'), customer: owned('customer') },
  }
}

function byId<Row extends { _id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row._id, row]))
}
