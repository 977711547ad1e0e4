export { type Forecast, forecastMigrations, type StepForecast } from './forecast.ts'
export { compareMigrations, migrate } from './migrate.ts'
export { TablesInUse } from './step_run.ts'
