import { geocoderUrl } from '../../checks.js';
import { group, integer, password, string } from '../../setting.js';

export const geocodingSettings = group('advanced/Geocoding', {
  'geocoding.provider': string(
    '',
    'URL of a geocoder with {address}, or {street}, {house}, {postalCode}, {city}, {state}, {country}; also {language} and {apikey}. Empty: none',
    { check: geocoderUrl },
  ),
  'geocoding.language': string('de', 'Language that the geocoder is asked for'),
  'geocoding.apikey': password('', 'Key that the geocoder asks for'),
  'geocoding.timeout': integer(5000, 'A geocoder that takes longer is given up (ms)', { min: 1 }),
});
