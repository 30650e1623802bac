"""Why is my image slow: finds the board that an image is for, what it does on its network, and where its time goes.

``identify`` finds the board, ``discover`` what the image does there, ``ask`` the traffic that measures it; ``answer``
puts them together.
"""
