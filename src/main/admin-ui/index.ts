/** The room of the Admin UI: its page, the files of the page, and what the page has to know before anybody is logged in. */
export { createAdminUi, isAdminUi, type AdminUiParts } from './endpoint.js';
