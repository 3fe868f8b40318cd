"""The Hydra configuration tree, shipped inside the wheel as `laya_sweep.conf`."""
