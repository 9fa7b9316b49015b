/** The services room: what runs by itself, and in which mode the instance is. */
export { isConfigured } from './configured.js';
export { MaintenanceError, MaintenanceMode, type MaintenancePorts, type ModeChange } from './maintenance-mode.js';
export { cronProblem } from './cron-problem.js';
export { Services, type ServiceAction, type ServiceInfo } from './registry.js';
export { ServiceError } from './service.js';
export { serviceTable } from './table.js';
