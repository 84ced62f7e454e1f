import { synthesizeChecked } from './checked-synthesis.ts';
import { createFloorwatchApp } from './floorwatch-app.ts';

synthesizeChecked(createFloorwatchApp());
