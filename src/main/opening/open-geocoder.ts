/** The web service that finds addresses, as the settings want it. */
import type { Config } from '../config/index.js';
import { Geocoder } from '../rest/index.js';

/** undefined: `geocoding.provider` names none. */
export function openGeocoder(config: Config): Geocoder | undefined {
  const template = config.get('geocoding.provider');
  if (template === '') return undefined;
  const language = config.get('geocoding.language');
  return new Geocoder(template, language, config.get('geocoding.apikey'), config.get('geocoding.timeout'));
}
