"""Writes the four scenario folders beside it: roads, buildings, and who drives.

The lengths of roads and the numbers of vehicles are those of [ECQV-CITS] Table IV. Everything else
is made up: no place looks like that. Run it again after a change, and commit what it writes.
"""

import math
import random
from pathlib import Path

HERE = Path(__file__).parent


class Roads:
    """Nodes and edges of SUMO, in metres."""

    def __init__(self):
        self.nodes, self.edges, self.length = {}, [], 0.0

    def node(self, name, x, y):
        self.nodes[name] = (x, y)
        return name

    def edge(self, start, end, lanes, speed, priority=1, shape=()):
        points = [self.nodes[start], *shape, self.nodes[end]]
        self.length += sum(math.dist(a, b) for a, b in zip(points, points[1:]))
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points) if shape else ""
        self.edges.append((f"{start}-{end}", start, end, lanes, speed, priority, text))

    def street(self, start, end, lanes=1, speed=13.9, priority=1):
        self.edge(start, end, lanes, speed, priority)
        self.edge(end, start, lanes, speed, priority)

    def roundabout(self, name, centre, radius, angles, lanes, speed=8.3):
        """A ring with a node at each angle, driven counterclockwise; returns the nodes."""
        on = lambda angle: (centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle))
        nodes = [self.node(f"{name}{i}", *on(math.radians(a))) for i, a in enumerate(angles)]
        for i, start in enumerate(nodes):
            turn = (angles[(i + 1) % len(angles)] - angles[i]) % 360
            arc = [on(math.radians(angles[i] + turn * part / 4)) for part in (1, 2, 3)]
            self.edge(start, nodes[(i + 1) % len(nodes)], lanes, speed, 9, arc)
        return nodes

    def write(self, folder):
        with open(folder / "roads.nod.xml", "w") as out:
            print("<nodes>", file=out)
            for name, (x, y) in self.nodes.items():
                print(f'  <node id="{name}" x="{x:.1f}" y="{y:.1f}"/>', file=out)
            print("</nodes>", file=out)
        with open(folder / "roads.edg.xml", "w") as out:
            print("<edges>", file=out)
            for name, start, end, lanes, speed, priority, shape in self.edges:
                shape = f' shape="{shape}"' if shape else ""
                print(
                    f'  <edge id="{name}" from="{start}" to="{end}" numLanes="{lanes}"'
                    f' speed="{speed}" priority="{priority}"{shape}/>',
                    file=out,
                )
            print("</edges>", file=out)


def scenario(key, title, between, vehicles, roads, buildings=()):
    folder = HERE / key
    folder.mkdir(exist_ok=True)
    roads.write(folder)
    rush, normal = vehicles
    text = f"# {title}: {roads.length / 1000:.1f} km of road, each direction counted. scenarios.py writes this folder.\n"
    text += f'name = "{title}"\nroads = {{ nodes = "roads.nod.xml", edges = "roads.edg.xml" }}\n'
    if buildings:
        text += 'buildings = "buildings.poly.xml"\n'
        with open(folder / "buildings.poly.xml", "w") as out:
            print("<additional>", file=out)
            for number, corners in enumerate(buildings):
                shape = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
                print(f'  <poly id="{number}" type="building" shape="{shape}"/>', file=out)
            print("</additional>", file=out)
    text += f'\n[traffic]\nduration_s = 300\nbetween = "{between}"\n'
    text += f"vehicles = {{ rush = {rush}, normal = {normal} }}\n"
    text += "\n[radio]\n# An antenna on the roof: the mean of those that Veins has.\nantenna_dbi = [-1.7]\n"
    (folder / "scenario.toml").write_text(text)
    print(f"{key}: {roads.length / 1000:.1f} km, {len(buildings)} buildings")


def roundabout():
    """Three lanes around, two that widen to three from west and east, one from north and south."""
    roads = Roads()
    ring = roads.roundabout("ring", (0, 0), 45, [0, 90, 180, 270], 3)
    arm = 1420
    for node, (x, y), lanes in zip(ring, [(1, 0), (0, 1), (-1, 0), (0, -1)], (2, 1, 2, 1)):
        far = roads.node(f"{node}far", x * (45 + arm), y * (45 + arm))
        if lanes == 1:
            roads.street(far, node, 1, 13.9, 3)
            continue
        near = roads.node(f"{node}near", x * 165, y * 165)
        roads.street(far, near, 2, 19.4, 4)
        roads.edge(near, node, 3, 13.9, 4)
        roads.edge(node, near, 2, 13.9, 4)
    scenario("roundabout", "Roundabout", "ends", (328, 167), roads)


def motorway_junction():
    """A motorway of three lanes each way, and one of two lanes that begins at it."""
    roads = Roads()
    end, half = 8_250, 600
    at = {
        "eA": (-end, -10), "e1": (-half, -10), "e2": (half, -10), "eB": (end, -10),
        "wA": (end, 10), "w1": (half, 10), "w2": (-half, 10), "wB": (-end, 10),
        "s1": (-10, -700), "sB": (-10, -end - 700), "nA": (10, -end - 700), "n1": (10, -700),
    }
    for name, place in at.items():
        roads.node(name, *place)
    for line, lanes, speed in (
        ("eA e1 e2 eB", 3, 36.1), ("wA w1 w2 wB", 3, 36.1), ("s1 sB", 2, 33.3), ("nA n1", 2, 33.3),
    ):
        nodes = line.split()
        for start, stop in zip(nodes, nodes[1:]):
            roads.edge(start, stop, lanes, speed, 9)
    for start, stop in (("e1", "s1"), ("w1", "s1"), ("n1", "e2"), ("n1", "w2")):
        roads.edge(start, stop, 1, 22.2, 5)
    scenario("motorway-junction", "Motorway junction", "ends", (778, 131), roads)


def block(corners, inset, chance, size, share):
    """Buildings within a block of four corners: along its sides, each so long, with gaps."""
    centre = [sum(axis) / 4 for axis in zip(*corners)]
    buildings = []
    for a, b in zip(corners, corners[1:] + corners[:1]):
        length = math.dist(a, b)
        along = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
        inward = (-along[1], along[0])
        if (centre[0] - a[0]) * inward[0] + (centre[1] - a[1]) * inward[1] < 0:
            inward = (-inward[0], -inward[1])
        begin = inset + size / 2
        while begin + size < length - inset - size / 2:
            deep = size * chance.uniform(0.6, 0.9)
            if chance.random() < share:
                place = lambda u, v: (
                    a[0] + along[0] * u + inward[0] * v,
                    a[1] + along[1] * u + inward[1] * v,
                )
                buildings.append([
                    place(begin, inset), place(begin + size, inset),
                    place(begin + size, inset + deep), place(begin, inset + deep),
                ])
            begin += size * chance.uniform(1.2, 2.0)
    return buildings


def grid(roads, chance, columns, rows, spacing, jitter, skip):
    """Streets between the nodes of a grid, a share of them left out; returns the blocks."""
    for x in range(columns):
        for y in range(rows):
            roads.node(
                f"n{x}_{y}",
                x * spacing + chance.uniform(-jitter, jitter),
                y * spacing + chance.uniform(-jitter, jitter),
            )
    for x in range(columns):
        for y in range(rows):
            for right, up in ((1, 0), (0, 1)):
                inner = 0 < x < columns - 1 and 0 < y < rows - 1
                if x + right < columns and y + up < rows and not (inner and chance.random() < skip):
                    roads.street(f"n{x}_{y}", f"n{x + right}_{y + up}")
    corner = lambda x, y: roads.nodes[f"n{x}_{y}"]
    return [
        [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)]
        for x in range(columns - 1)
        for y in range(rows - 1)
    ]


def campus():
    """Streets around large buildings."""
    roads, chance = Roads(), random.Random(3)
    blocks = grid(roads, chance, 10, 10, 160, 25, 0.12)
    buildings = [one for corners in blocks for one in block(corners, 15, chance, 34, 0.45)]
    scenario("campus", "Campus", "roads", (342, 159), roads, buildings)


def residential():
    """Houses along narrow streets, and four roundabouts on the road around them."""
    roads, chance = Roads(), random.Random(4)
    wide, high = 9, 7
    blocks = grid(roads, chance, wide, high, 105, 12, 0.1)
    corners = [(-120, -120), ((wide - 1) * 105 + 120, -120), ((wide - 1) * 105 + 120, (high - 1) * 105 + 120), (-120, (high - 1) * 105 + 120)]
    inner = [f"n0_0", f"n{wide - 1}_0", f"n{wide - 1}_{high - 1}", f"n0_{high - 1}"]
    rings = []
    for i, (centre, near) in enumerate(zip(corners, inner)):
        outward = math.degrees(math.atan2(centre[1] - roads.nodes[near][1], centre[0] - roads.nodes[near][0]))
        angles = sorted(angle % 360 for angle in (outward, outward + 180, i * 90, i * 90 + 90))
        nodes = roads.roundabout(f"r{i}_", centre, 18, angles, 1)
        rings.append({round(angle): node for angle, node in zip(angles, nodes)})
        far = (centre[0] + 330 * math.cos(math.radians(outward)), centre[1] + 330 * math.sin(math.radians(outward)))
        roads.street(roads.node(f"far{i}", *far), rings[-1][round(outward % 360)], 1, 13.9, 3)
        roads.street(near, rings[-1][round((outward + 180) % 360)], 1, 8.3)
    for i in range(4):
        start, stop = rings[i][(i * 90) % 360], rings[(i + 1) % 4][((i + 1) * 90 + 90) % 360]
        roads.street(start, stop, 1, 13.9, 3)
    buildings = [one for corners in blocks for one in block(corners, 9, chance, 14, 0.75)]
    scenario("residential", "Residential area", "roads", (144, 77), roads, buildings)


if __name__ == "__main__":
    roundabout()
    motorway_junction()
    campus()
    residential()
